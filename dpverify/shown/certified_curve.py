"""The curve that a certified bound stands for, where there is no region of one event's rates to draw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

_NORMAL = NormalDist()
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
    if not picture.get("claimed") or any(picture.get(name) for name in _INSTEAD) or not 0.0 < bound < math.inf:
        return picture
    rates = sorted(
        {k / _POINTS for k in range(_POINTS + 1)} | {10.0 ** (-6.0 + 6.0 * k / _POINTS) for k in range(_POINTS)}
    )
    if kind == "mu":
        inner = [rate for rate in rates if 0.0 < rate < 1.0]
        return {
            **picture,
            "certified": {"alpha": inner, "beta": [_NORMAL.cdf(-_NORMAL.inv_cdf(rate) - bound) for rate in inner]},
        }
    if kind not in ("epsilon", "delta"):
        return picture
    epsilon, delta = (bound, argument) if kind == "epsilon" else (argument, bound)
    return {**picture, "certified": {"alpha": rates, "beta": [_hockey_stick(rate, epsilon, delta) for rate in rates]}}


def _hockey_stick(alpha: float, epsilon: float, delta: float) -> float:
    """The trade-off of (epsilon, delta): a larger false-negative rate at this false-positive rate is allowed."""
    times = math.exp(min(epsilon, 700.0))
    return max(0.0, 1.0 - delta - times * alpha, (1.0 - delta - alpha) / times)
