"""The smallest epsilon at a given delta, from a privacy profile delta(epsilon) that falls in epsilon.

Basis: the profile is non-increasing, so a value above `delta` on the left and one at or below it on the
right enclose the root; the enclosure inherits the profile's own error, estimated or proved. Limit: delta > 0 (at
delta = 0 the answer is the largest log-ratio, which no root search finds).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import flint

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Enclosed
from dpverify.laws.balls import enclosed_bounds

_WIDENINGS = 48  # four times wider each time: from 2^-80 past 1e4
_SEARCHED = 1e5  # no profile of interest needs a larger epsilon


def check_delta(delta: float) -> None:
    """InputError unless 0 <= delta <= 1."""
    if not 0 <= delta <= 1:
        raise InputError(f"delta {delta}", allowed="a number in [0, 1]")


def smallest_epsilon(profile: Callable[[float], Enclosed], delta: float) -> Enclosed:
    """Smallest epsilon >= 0 with profile(epsilon) <= delta, for delta > 0; +inf when profile(inf) exceeds delta.

    The error covers both sides as far as the profile's error does; it is infinite where the profile cannot tell.
    """
    if profile(math.inf).lower > delta:
        return Enclosed(value=math.inf)
    high = 0.0
    while profile(high).value > delta:
        high = max(1.0, 2 * high)
        if high > _SEARCHED:
            raise UnsupportedError(f"delta(epsilon) stays above {delta} up to epsilon = {_SEARCHED:g}")
    value = 0.0
    if high > 0:
        from scipy.optimize import brentq  # slow to load, and not every audit comes here

        low = 0.0 if high == 1.0 else high / 2
        value = float(brentq(lambda at: profile(at).value - delta, low, high, xtol=1e-15, rtol=1e-15))
    lower = 0.0 if value == 0 else None
    upper = value if profile(value).upper <= delta else None
    width = math.ulp(value) if value > 0 else 2.0**-60
    for _ in range(_WIDENINGS):
        if lower is None and (value <= width or profile(value - width).lower > delta):
            lower = max(value - width, 0.0)
        if upper is None and profile(value + width).upper <= delta:
            upper = value + width
        if lower is not None and upper is not None:
            return Enclosed(value=value, error=max(value - lower, upper - value))
        width *= 4
    return Enclosed(value=value, error=math.inf)


def proved_epsilon(profile: Callable[[flint.arb], flint.arb], delta: float, *, near: float) -> Enclosed | None:
    """The same with balls around the guess `near`: a proved enclosure, or None when the balls are too wide."""
    if not math.isfinite(near):
        return None
    allowed, centre, zero = flint.arb(delta), flint.arb(near), flint.arb(0)
    if profile(zero) <= allowed:
        return Enclosed(value=0.0, proved=True)
    width = flint.arb(max(math.ulp(near), 2.0**-80))
    lower: flint.arb | None = None
    upper: flint.arb | None = None
    for _ in range(_WIDENINGS):
        if lower is None and (centre <= width or profile(centre - width) > allowed):
            lower = (centre - width).max(zero)
        if upper is None and profile(centre + width) <= allowed:
            upper = centre + width
        if lower is not None and upper is not None:
            return enclosed_bounds(lower, upper)
        width *= 4
    return None
