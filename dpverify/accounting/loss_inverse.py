"""From bounds on delta(epsilon) to bounds on epsilon(delta): a root, and a step to the side on which the bound is seen.

Basis: delta(epsilon) falls, so an epsilon where the upper bound does not exceed delta is no smaller than the
truth, and one where the lower bound exceeds it is smaller. The root is only a guess; what is returned was evaluated.
Limits: +inf, or 0, where no such epsilon is near. Not to be confused with :mod:`~dpverify.accounting.least_sigma`,
which solves for a step's parameter.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from dpverify.accounting.loss_sum import LossSum


def root(profile: Callable[[float], float], delta: float, total: LossSum) -> float:
    """Return about the epsilon at which a falling bound on delta(epsilon) passes `delta`; 0 when it starts below."""
    tiny = 1e-320

    def gap(at: float) -> float:
        return math.log(max(profile(at), tiny)) - math.log(delta)

    # Far from the tilt's own epsilon the bounds are blunt, so the search starts at it and goes one way.
    at = max(float(total.losses[int(np.argmax(total.masses))]), 0.0)
    end, step = float(total.losses[-1]) + 1e3, max(float(total.losses[-1] - total.losses[0]) / 256, 1e-13 * (1 + at))
    rising = gap(at) > 0
    before = at
    while (gap(at) > 0) == rising:
        if at == (end if rising else 0.0):
            return math.inf if rising else 0.0
        before, at = at, min(at + step, end) if rising else max(at - step, 0.0)
        step *= 2
    low, high = min(before, at), max(before, at)
    root: float = brentq(gap, low, high, xtol=1e-13, rtol=1e-13)
    return root


def settled_above(over: LossSum, delta: float, near: float) -> float:
    """The least tried epsilon at which the upper bound on delta does not exceed `delta`."""
    at, step = near, 1e-13 * (1 + near) if math.isfinite(near) else 0.0
    while math.isfinite(at) and over.delta(at)[1] > delta:
        at, step = at + step, 4 * step
        if step > 1:
            return math.inf
    return at


def settled_below(under: LossSum, delta: float, near: float) -> float:
    """An epsilon at which even the lower bound on delta exceeds `delta`; 0 when none is near."""
    if math.isinf(near):
        return 0.0
    at, step = near, 1e-13 * (1 + near)
    while at > 0 and under.delta(at)[0] <= delta:
        at, step = at - step, 4 * step
    return max(at, 0.0)
