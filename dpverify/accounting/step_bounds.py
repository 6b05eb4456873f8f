"""Which (epsilon, delta) bound composition theorems may use for a step, and the pure bound of a whole composition.

A step with one (epsilon, delta) gives that; a step with a pure bound gives (epsilon, 0). Not to be confused with a
point chosen on a curve: a Gaussian step has no bound of its own.
"""

from __future__ import annotations

import math

from dpverify.accounting.exact_sums import weighted_sum
from dpverify.core.composition import Composition, HasApprox, HasPure, Step


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
