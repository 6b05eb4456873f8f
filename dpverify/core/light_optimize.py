"""``scipy.optimize.brentq`` without loading scipy.optimize, a sixth of a second: every audit finds roots.

The method is Brent's (Algorithms for Minimization without Derivatives, 1973, chapter 4), in scipy's order of
operations, so the roots are scipy's to the bit (a test compares them). Digests of code take it for scipy's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign

_STEPS = 100


def brentq(f: Callable[[float], float], a: float, b: float, *, xtol: float, rtol: float) -> float:
    """A root of `f` between `a` and `b`, where `f` has different signs, up to ``xtol + rtol * |root|``.

    Raises
    ------
    ValueError
        Where `f` has one sign at both ends.
    RuntimeError
        Where 100 steps were too few.
    """
    before, now, across = a, b, 0.0
    f_before, f_now, f_across = f(a), f(b), 0.0
    if f_before == 0.0 or f_now == 0.0:
        return before if f_before == 0.0 else now
    if copysign(1.0, f_before) == copysign(1.0, f_now):
        raise ValueError(f"f(a) = {f_before!r} and f(b) = {f_now!r} must have different signs")
    step_before = step = 0.0
    for _ in range(_STEPS):
        if f_before != 0.0 and f_now != 0.0 and copysign(1.0, f_before) != copysign(1.0, f_now):
            across, f_across = before, f_before
            step_before = step = now - before
        if abs(f_across) < abs(f_now):
            before, now, across = now, across, now
            f_before, f_now, f_across = f_now, f_across, f_now
        least, half = (xtol + rtol * abs(now)) / 2.0, (across - now) / 2.0
        if f_now == 0.0 or abs(half) < least:
            return now
        tried = None
        if abs(step_before) > least and abs(f_now) < abs(f_before):
            if before == across:  # secant
                tried = -f_now * (now - before) / (f_now - f_before)
            else:  # inverse quadratic interpolation
                slope = (f_before - f_now) / (before - now)
                slope_across = (f_across - f_now) / (across - now)
                tried = -f_now * (f_across * slope_across - f_before * slope)
                tried /= slope_across * slope * (f_across - f_before)
        if tried is not None and 2.0 * abs(tried) < min(abs(step_before), 3.0 * abs(half) - least):
            step_before, step = step, tried
        else:
            step_before = step = half
        before, f_before = now, f_now
        now += step if abs(step) > least else (least if half > 0.0 else -least)
        f_now = f(now)
    raise RuntimeError(f"no root after {_STEPS} steps; the last was {now!r}")
