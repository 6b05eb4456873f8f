"""Which (epsilon, delta) bound composition theorems may use for a step, and the pure bound of a whole composition.

A step with one (epsilon, delta) gives that; a step with a pure bound gives (epsilon, 0). Not to be confused with a
point chosen on a curve: a Gaussian step has no bound of its own.

Implications of one guarantee: (epsilon_0, delta_0)-DP implies (t, delta)-DP for delta = delta_0 + (1 - delta_0)
(e^epsilon_0 - e^t) / (1 + e^epsilon_0), 0 <= t <= epsilon_0, and no less (Kairouz, Oh, Viswanath 2015: randomised
response with delta_0 attains it). Sides: rounded up by `ROUNDING`. Not to be confused with a conversion from Renyi DP,
which uses more orders than infinity.
"""

from __future__ import annotations

import math

from dpverify.accounting.accountant_inputs import weighted_sum
from dpverify.core.composition import Composition, HasApprox, HasPure, Step
from dpverify.definitions.approx_dp import corner_profile

ROUNDING = 1e-14
"""Relative slack that is added to results which are not the guarantee's own numbers."""


def step_bound(step: Step) -> tuple[float, float] | None:
    """(epsilon, delta) of a step; None when it offers neither capability."""
    if isinstance(step, HasPure):
        return step.pure_epsilon(), 0.0
    return step.approx() if isinstance(step, HasApprox) else None


def without_bound(composition: Composition) -> str | None:
    """Return None when every step has a bound, else the first that has none."""
    for part in composition:
        if step_bound(part.step) is None:
            return f"{part.step.text()} has no single (epsilon, delta) or pure bound"
    return None


def pure_total(composition: Composition) -> float:
    """Sum of the pure bounds, rounded up; +inf when a step has none (basic composition, Dwork and Roth 2014, 3.14)."""
    found = [(step_bound(part.step), part.count) for part in composition]
    return weighted_sum((math.inf if bound is None or bound[1] > 0 else bound[0], count) for bound, count in found)


def corner_delta(corner: tuple[float, float], epsilon: float) -> float:
    """Smallest delta at `epsilon` >= 0 that (epsilon_0, delta_0) implies; 1 when epsilon_0 is infinite."""
    claimed, delta = corner
    if epsilon >= claimed:
        return min(delta, 1.0)
    if math.isinf(claimed) or delta >= 1:
        return 1.0
    return min(1.0, float(corner_profile(epsilon, claimed, delta)) * (1 + ROUNDING))


def corner_epsilon(corner: tuple[float, float], delta: float) -> float:
    """Smallest epsilon >= 0 at `delta` in [0, 1) that (epsilon_0, delta_0) implies; +inf when delta < delta_0."""
    claimed, least = corner
    if delta < least:
        return math.inf
    if delta == least or math.isinf(claimed) or claimed == 0:
        return claimed
    # e^t = e^epsilon_0 - x (1 + e^epsilon_0), x the share of delta beyond delta_0
    share = (delta - least) / (1 - least) * (1 + math.exp(-claimed)) * (1 - ROUNDING)
    if share >= 1:
        return 0.0
    return min(claimed, max(0.0, claimed + math.log1p(-share) + ROUNDING * (claimed + 1)))
