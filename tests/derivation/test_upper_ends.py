"""A proof's number is never below the truth, however many numbers were added or multiplied on the way to it."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np

from dpverify.derivation.derive import derive

DRAWS = np.random.default_rng(1)
POOL = DRAWS.uniform(0.96, 1.04, 400).tolist()


def _rounded_up(many: int) -> list[float]:
    """Numbers near 1 by which 1.0 is divided again and again, each quotient rounded up."""
    found, now = [], 1.0
    for _ in range(many):
        wanted = [each for each in POOL if (each < 1) == (now < 1.05)]
        factor = max(wanted, key=lambda each: Fraction(now / each) / (Fraction(now) / Fraction(each)))
        POOL.remove(factor)
        now /= factor
        found.append(factor)
    return found[::-1]


FACTORS = _rounded_up(120)


def of_many_factors(x, rng):
    total = np.sum(x)
    for factor in FACTORS:
        total = total * factor
    n = len(x)
    return total * n + rng.laplace(0.0, 1.0 * n)


def of_many_sums(x, rng):
    total = 0.0
    for value in x:
        w = value
        for _ in range(130):
            w = w + value
        total += w
    return total + rng.laplace(0.0, 1.0)


def test_factors_that_cancel_with_the_number_of_records():
    found = derive(
        of_many_factors, data=np.array([0.5, 1.0]), claim="PureDP(epsilon=99)", bounds="0:1", relation="replace"
    )
    truth = prod(map(Fraction, FACTORS))
    assert found.outcome == "proved"
    assert truth <= Fraction(found.upper) <= truth * (1 + Fraction(1, 10**12))


def test_sums_of_a_record():
    found = derive(of_many_sums, data=[0.05, 0.1], claim="PureDP(epsilon=99)", bounds="0:0.1")
    truth = 131 * Fraction(0.1)
    assert found.outcome == "proved"
    assert truth <= Fraction(found.upper) <= truth * (1 + Fraction(1, 10**12))
