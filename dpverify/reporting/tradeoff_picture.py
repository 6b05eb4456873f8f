"""The figure of an audit as inline SVG: the claimed trade-off curve, and the confidence region or exact curve.

Horizontal: false-positive rate of an attacker; vertical: false-negative rate. The claim allows points on or above its
curve; a rectangle (or an exact curve) completely below it refutes the claim. For small claims the relevant part is near
the corners, so the scale is chosen by the rectangle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SIZE = 220.0  # side of the unit square in user units


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """SVG coordinates of one figure; None where there is nothing to draw.

    Attributes
    ----------
    allowed, curve, exact : str or None
        Points of the allowed region's polygon, the claimed curve, the exact measured curve.
    rectangle : tuple or None
        x, y, width, height of the measured confidence rectangle.
    limits : str or None
        Simultaneous upper limits of several points of the measured curve.
    zoom : float
        The square shows [0, zoom] x [0, 1] (and [0, 1] when 1).
    """

    allowed: str | None
    curve: str | None
    exact: str | None
    rectangle: tuple[float, float, float, float] | None
    zoom: float
    limits: str | None = None


def draw(picture: Mapping[str, Any]) -> Drawing | None:
    """The drawing of an evidence's figure; None when it has no curve."""
    claimed, measured = picture.get("claimed"), picture.get("exact")
    if not claimed and not measured:
        return None
    box = picture.get("rectangle")
    right = box["fpr_high"] if box else 1.0
    zoom = next((scale for scale in (1e-4, 1e-3, 1e-2, 1e-1) if 2 * right < scale), 1.0)
    curve = _points(claimed, zoom) if claimed else None
    return Drawing(
        allowed=f"{curve} {SIZE:.1f},0.0 0.0,0.0" if curve else None,
        curve=curve,
        exact=_points(measured, zoom) if measured else None,
        rectangle=_rectangle(box, zoom) if box else None,
        zoom=zoom,
        limits=_limits(picture.get("measured"), zoom),
    )


def _limits(several: Mapping[str, Any] | None, zoom: float) -> str | None:
    if not several:
        return None
    return _points({"alpha": several["alpha_high"], "beta": several["beta_high"]}, zoom) or None


def _place(alpha: float, beta: float, zoom: float) -> tuple[float, float]:
    return round(SIZE * min(alpha / zoom, 1.0), 2), round(SIZE * (1 - beta), 2)


def _points(curve: Mapping[str, Any], zoom: float) -> str:
    kept = [(a, b) for a, b in zip(curve["alpha"], curve["beta"], strict=True) if a <= zoom]
    return " ".join("{:.2f},{:.2f}".format(*_place(alpha, beta, zoom)) for alpha, beta in kept)


def _rectangle(box: Mapping[str, float], zoom: float) -> tuple[float, float, float, float]:
    left, top = _place(box["fpr_low"], box["fnr_high"], zoom)
    right, bottom = _place(box["fpr_high"], box["fnr_low"], zoom)
    # Wide enough to be visible.
    return left, top, max(right - left, 2.5), max(bottom - top, 2.5)
