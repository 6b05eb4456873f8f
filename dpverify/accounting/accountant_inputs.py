"""What every accountant checks: its delta or epsilon, and that the composition is one that it applies to.

Sums of bounds stay bounds: every double is a rational number, ``float(Fraction)`` rounds to nearest, and exact sums do
not depend on the order of their terms. Not to be confused with ``stats.rounding``, which nudges a rounded result.

Composition theorems for (epsilon, delta) take a step's one (epsilon, delta), or (epsilon, 0) of a pure bound. Not to be
confused with a point chosen on a curve: a Gaussian step has no bound of its own. One guarantee implies others:
(epsilon_0, delta_0)-DP implies (t, delta)-DP for delta = delta_0 + (1 - delta_0) (e^epsilon_0 - e^t) / (1 +
e^epsilon_0), 0 <= t <= epsilon_0, and no less (Kairouz, Oh, Viswanath 2015: randomised response with delta_0 attains
it); rounded up by `ROUNDING`. Not to be confused with a conversion from Renyi DP, which uses more orders than infinity.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from dpverify.core.composition import Accountant, Composition, HasApprox, HasPure, Step
from dpverify.core.errors import InputError
from dpverify.core.rules import NON_NEGATIVE, Between
from dpverify.definitions.pure_dp import corner_profile

_DELTA = Between(0, 1, open="high", remedy="at delta = 1 everything is private")


LEAST = 5e-324
"""The least positive double: what an upper bound that underflows becomes."""


ROUNDING = 1e-14
"""Relative slack that is added to results which are not the guarantee's own numbers."""


def checked_delta(delta: float) -> float:
    """`delta` as a float; InputError outside [0, 1)."""
    return _DELTA.number("delta", delta)


def checked_epsilon(epsilon: float) -> float:
    """`epsilon` as a float; InputError unless finite and >= 0."""
    return NON_NEGATIVE.number("epsilon", epsilon)


def admit(accountant: Accountant, composition: Composition) -> None:
    """InputError with the accountant's own reason when it does not apply."""
    reason = accountant.refuses(composition)
    if reason is not None:
        raise InputError(
            f"accountant {accountant.name}: {reason}",
            allowed="a composition that it applies to",
            remedy="`dpverify account` shows those that do",
        )


def probability(log_delta: float) -> float:
    """e^log_delta in (0, 1]: 1 for anything above, the least positive double where it underflows (never 0)."""
    return max(math.exp(min(log_delta, 0.0)), LEAST)


def rounded_up(number: Fraction) -> float:
    """The least double >= `number` (>= 0); +inf beyond the largest double."""
    try:
        value = float(number)
    except OverflowError:
        return math.inf
    return value if Fraction(value) >= number else math.nextafter(value, math.inf)


def weighted_sum(terms: Iterable[tuple[float, int]]) -> float:
    """Sum of value * count, rounded up once; +inf when a value with a count is."""
    total = Fraction(0)
    for value, count in terms:
        if count and math.isinf(value):
            return math.inf
        total += Fraction(value) * count if count else 0
    return rounded_up(total)


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
