"""The trade-off picture: where an attacker's two error rates lie, and which the claim allows.

Both axes are normal quantiles, so that small rates take place, too, and curves of Gaussian mechanisms are straight. The
window lies around what was measured: near it even a claim of epsilon = 0.1 is told from no information at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Any

_NORMAL = NormalDist()
LEAST = 1e-6
"""Rates are drawn from here to 1 less this."""

WHOLE = 1e-3
"""A picture without a measured region shows rates from here to 1 less this."""

NARROWEST, FARTHEST = 0.12, 4.0
"""Half of the smallest window in normal quantiles; so many times the measured region or its distance are shown."""

TICKS = (1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999)

Points = list[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Ends of both axes, as normal quantiles of the false-positive and the false-negative rate."""

    left: float
    right: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The curves that are drawn, in normal quantiles."""

    window: Window
    claimed: Points
    exact: Points
    limits: Points
    seen: Points
    certified: Points
    proved: Points
    """`claimed`, `exact`, `limits`, `seen`, `certified`, `proved`: the claimed curve; the exact curve of the witness;
    upper limits of several measured points, which hold together; observed rates at many thresholds, which bound
    nothing; the curve of the certified bound, which the true curve reaches; the curve that is proved from the code,
    which the true curve nowhere lies below."""
    box: tuple[float, float, float, float] | None
    """left, right, low, high of the confidence region."""
    point: tuple[float, float] | None
    """The observed rates: an estimate."""


def quantile(rate: float) -> float:
    """Normal quantile of a rate, of at least `LEAST` and at most 1 less that."""
    return _NORMAL.inv_cdf(min(max(rate, LEAST), 1.0 - LEAST))


def rate_of(place: float) -> float:
    """The rate at a normal quantile."""
    return _NORMAL.cdf(place)


def picture_of(found: Mapping[str, Any]) -> Picture | None:
    """The picture of an evidence; None where it has no curve."""
    claimed, exact = _curve(found.get("claimed")), _curve(found.get("exact"))
    if not claimed and not exact:
        return None
    several = found.get("measured")
    limits = _curve({"alpha": several["alpha_high"], "beta": several["beta_high"]}) if several else []
    box = _box(found.get("rectangle"))
    at = found.get("point")
    point = (quantile(at["fpr"]), quantile(at["fnr"])) if at else None
    seen = _curve(found.get("seen"))
    around = box or (point and (point[0], point[0], point[1], point[1]))
    return Picture(
        window=_around_the_seen(seen) if seen and not around else _window(around, claimed),
        claimed=claimed,
        exact=exact,
        limits=limits,
        seen=seen,
        certified=_curve(found.get("certified")),
        proved=_curve(found.get("proved")),
        box=box,
        point=point,
    )


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Places (normal quantiles) and words of round rates between two ends."""
    found = [(quantile(rate), rate) for rate in TICKS if low <= quantile(rate) <= high]
    if len(found) < 3:
        first, last = rate_of(low), rate_of(high)
        step = _round_step((last - first) / 4.0)
        count = int(last / step) + 1
        found = [(quantile(step * place), step * place) for place in range(count + 1) if first <= step * place <= last]
    kept: list[tuple[float, float]] = []
    for place, rate in found:
        if not kept or place - kept[-1][0] > (high - low) / 9.0:
            kept.append((place, rate))
    return [(place, f"{rate:.6g}") for place, rate in kept]


def inside(points: Sequence[tuple[float, float]], window: Window) -> Points:
    """A curve cut to the window's horizontal ends and closed there by interpolation; vertical ends are clipped."""
    found: Points = []
    for (a, b), (c, d) in pairwise(points):
        if c < window.left or a > window.right or a == c:
            continue
        for place in (max(a, window.left), min(c, window.right)):
            y = b + (d - b) * (place - a) / (c - a)
            if not found or found[-1] != (place, y):
                found.append((place, y))
    return found


def _curve(curve: Mapping[str, Any] | None) -> Points:
    if not curve:
        return []
    points: Points = []
    rates = list(zip(curve["alpha"], curve["beta"], strict=True))
    for (a, b), (c, d) in pairwise(rates):
        points += [(a + (c - a) * part, b + (d - b) * part) for part in (0.0, 0.25, 0.5, 0.75)]
    points += rates[-1:]
    lowest: dict[float, float] = {}
    for a, b in points:
        lowest[quantile(a)] = min(quantile(b), lowest.get(quantile(a), math.inf))
    return sorted(lowest.items())


def _box(found: Mapping[str, float] | None) -> tuple[float, float, float, float] | None:
    if not found:
        return None
    left, right, low, high = (quantile(found[name]) for name in ("fpr_low", "fpr_high", "fnr_low", "fnr_high"))
    return left, right, low, high


def _window(box: tuple[float, float, float, float] | None, claimed: Points) -> Window:
    if box is None:
        return _around_the_claim(claimed)
    left, right, low, high = box
    across, up = (left + right) / 2.0, (low + high) / 2.0
    chance = -across
    at_claim = min((point for point in claimed), key=lambda point: abs(point[0] - across), default=(across, up))[1]
    apart = max(abs(up - chance), abs(up - at_claim))
    half = max(NARROWEST, FARTHEST * (right - left) / 2.0, FARTHEST * (high - low) / 2.0, 1.3 * apart)
    most = quantile(1.0 - LEAST)
    half = min(half, most)
    across, up = (min(max(each, half - most), most - half) for each in (across, up))
    return Window(left=across - half, right=across + half, low=up - half, high=up + half)


def _around_the_claim(claimed: Points) -> Window:
    """All rates from `WHOLE` on; for a small claim only those where it is farthest from no information."""
    end = -quantile(WHOLE)
    x, y = max(claimed, key=lambda point: abs(point[0] + point[1]), default=(0.0, 0.0))
    half = max(NARROWEST, FARTHEST * abs(x + y))
    if half >= end or not claimed:
        return Window(left=-end, right=end, low=-end, high=end)
    x, y = (min(max(each, half - end), end - half) for each in (x, y))
    return Window(left=x - half, right=x + half, low=y - half, high=y + half)


def _around_the_seen(seen: Points) -> Window:
    """All rates from `WHOLE` on, or from where the rates that were seen tell the most, if that is beyond."""
    telling = min(seen, key=lambda point: point[0] + point[1])
    end = max(-quantile(WHOLE), *(abs(each) + NARROWEST for each in telling))
    return Window(left=-end, right=end, low=-end, high=end)


def _round_step(raw: float) -> float:
    unit = 1.0
    while unit > raw:
        unit /= 10.0
    return unit * max((size for size in (1, 2, 5) if size * unit <= raw), default=1)


_STANDARD_NORMAL = NormalDist()
_INSTEAD = ("rectangle", "measured", "exact")
_POINTS = 64


def with_certified(picture: Mapping[str, Any], kind: str, argument: float, bound: float) -> Mapping[str, Any]:
    """The picture of an evidence with the curve of its bound as ``certified``: the true curve reaches it somewhere.

    Parameters
    ----------
    picture : mapping
        As in an evidence (`dpverify.core.evidence`); returned as it is where it shows a region or another curve.
    kind, argument : str, float
        Of the measure.
    bound : float
        The certified lower bound.
    """
    if not picture.get("claimed") or any(picture.get(name) for name in _INSTEAD):
        return picture
    return _with(picture, "certified", kind, argument, bound)


def with_proved(picture: Mapping[str, Any], parameter: str, delta: float, upper: float) -> Mapping[str, Any]:
    """The picture of an evidence with the curve of what is proved from the code, beside what was measured.

    Parameters
    ----------
    picture : mapping
        As in an evidence; returned as it is where it has no curve, and for parameters other than epsilon and mu.
    parameter, delta : str, float
        Of the proof: ``epsilon`` (at this delta) or ``mu``.
    upper : float
        The proved upper bound.
    """
    return _with(picture, "proved", parameter, delta, upper) if picture.get("claimed") else picture


def _with(picture: Mapping[str, Any], name: str, kind: str, argument: float, bound: float) -> Mapping[str, Any]:
    """The picture with one more curve."""
    if not 0.0 < bound < math.inf:
        return picture
    rates = sorted(
        {k / _POINTS for k in range(_POINTS + 1)} | {10.0 ** (-6.0 + 6.0 * k / _POINTS) for k in range(_POINTS)}
    )
    if kind == "mu":
        inner = [rate for rate in rates if 0.0 < rate < 1.0]
        return {
            **picture,
            name: {
                "alpha": inner,
                "beta": [_STANDARD_NORMAL.cdf(-_STANDARD_NORMAL.inv_cdf(rate) - bound) for rate in inner],
            },
        }
    if kind not in ("epsilon", "delta"):
        return picture
    epsilon, delta = (bound, argument) if kind == "epsilon" else (argument, bound)
    return {**picture, name: {"alpha": rates, "beta": [_hockey_stick(rate, epsilon, delta) for rate in rates]}}


def _hockey_stick(alpha: float, epsilon: float, delta: float) -> float:
    """The trade-off of (epsilon, delta): a larger false-negative rate at this false-positive rate is allowed."""
    times = math.exp(min(epsilon, 700.0))
    return max(0.0, 1.0 - delta - times * alpha, (1.0 - delta - alpha) / times)
