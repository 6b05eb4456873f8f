"""What every accountant checks: its delta or epsilon, and that the composition is one that it applies to.

Sums of bounds stay bounds: every double is a rational number, ``float(Fraction)`` rounds to nearest, and exact sums do
not depend on the order of their terms. Not to be confused with ``stats.rounding``, which nudges a rounded result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from dpverify.core.composition import Accountant, Composition
from dpverify.core.errors import InputError
from dpverify.core.rules import NON_NEGATIVE, Between

_DELTA = Between(0, 1, open="high", remedy="at delta = 1 everything is private")


LEAST = 5e-324
"""The least positive double: what an upper bound that underflows becomes."""


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
