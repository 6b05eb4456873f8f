"""Sums of floats without rounding, and fractions rounded upwards: a sum of bounds stays a bound.

Basis: every double is a rational number, and ``float(Fraction)`` rounds to nearest. Exact sums do not depend
on the order of their terms. Not to be confused with ``stats.rounding``, which nudges a rounded result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

LEAST = 5e-324
"""The least positive double: what an upper bound that underflows becomes."""


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
