from __future__ import annotations

import math

import flint
import numpy as np
import pytest

from dpverify.accounting.lattice_sum import (
    CURVED,
    HALF_SQUARE,
    LOG_RATIO,
    WEIGHT,
    WEIGHTED,
    highest_exponent,
    lattice_sum,
    table,
)
from dpverify.laws.balls import working_precision

CASES = [
    (0.01, 1.0, 0.4, -25, 80),
    (0.999, 0.05, 0.5, -20, 45),
    (1e-9, 7.0, 0.05, -250, 500),
    (0.5, 0.3, 0.5, -20, 60),
    (0.3, 50.0, 0.01, -3500, 7000),
]


def exact(q, s, spacing, k):
    """(z, x, log(1 + x)) at a node, as balls."""
    step = flint.arb(k) * flint.arb(spacing)
    x = flint.arb(q) * (flint.arb(s) * step).expm1()
    return flint.arb(s) / 2 + step, x, x.log1p()


@pytest.mark.parametrize(("q", "s", "spacing", "first", "count"), CASES)
def test_the_table_has_its_digits(q, s, spacing, first, count):
    rows = table(q, s, spacing, first, count)
    with working_precision(300):
        for i in range(count):
            z, x, log_ratio = exact(q, s, spacing, first + i)
            weight = flint.arb(spacing) * (-z * z / 2).exp() / (2 * flint.arb.pi()).sqrt()
            # z itself cancels where it is small: a square of errors there.
            rounding = 8 * 2.0**-53 * (s + abs(z))
            assert abs(flint.arb(float(rows[HALF_SQUARE, i])) - z * z / 2) <= rounding * (abs(z) + rounding)
            expected = {LOG_RATIO: log_ratio}
            if x < math.exp(39):
                expected[CURVED] = log_ratio - x
            if z * z / 2 < 690:
                expected[WEIGHT] = weight
            if (weight * x + weight * q).log() > -690:
                expected[WEIGHTED] = weight * x
            for row, value in expected.items():
                units = (
                    400
                    + 20 * abs(s * (first + i) * spacing)
                    + (20 * rows[HALF_SQUARE, i] if row in (WEIGHT, WEIGHTED) else 0)
                )
                assert abs(flint.arb(float(rows[row, i])) - value) <= units * 2.0**-53 * abs(value), (row, i)


@pytest.mark.parametrize("power", [1.01, 1.7, 2.0, 33.3, -0.5, -12.0])
@pytest.mark.parametrize(("q", "s", "spacing", "first", "count"), CASES)
def test_the_sum_is_that_of_balls(power, q, s, spacing, first, count):
    """The naive twin: the same nodes, the term as it is defined, in 300 bits; shifted where a double would overflow."""
    rows = table(q, s, spacing, first, count)
    top = highest_exponent(power, rows, count)
    shift = top if top > 600 else 0.0
    with working_precision(300):
        expected = flint.arb(0)
        for i in range(count):
            z, x, log_ratio = exact(q, s, spacing, first + i)
            term = (power * log_ratio).exp() - 1 - power * x
            expected += term * (-z * z / 2).exp() * spacing / (2 * flint.arb.pi()).sqrt()
        expected *= (-flint.arb(shift)).exp()
        total, size = lattice_sum(power, rows, count, spacing, shift)
        bound = 2.0**-53 * (
            200 * abs(power - 1 if power < 0 else power) / abs(power - 1 if power > 1 else power) * total + 8 * size
        )
        assert abs(flint.arb(total) - expected) <= bound


def test_with_a_shift_it_is_the_power_alone():
    rows = table(0.3, 1.0, 0.3, -30, 250)
    power = 60.0
    top = highest_exponent(power, rows, 250)
    exponents = power * rows[LOG_RATIO] - rows[HALF_SQUARE]
    assert top == exponents.max() > 600
    total, size = lattice_sum(power, rows, 250, 0.3, top)
    terms = 0.3 / math.sqrt(2 * math.pi) * np.exp(exponents - top)
    assert total == pytest.approx(terms.sum(), rel=1e-12)
    assert size == pytest.approx(np.sum(terms * (np.abs(power * rows[LOG_RATIO]) + rows[HALF_SQUARE])), rel=1e-10)


def test_only_the_first_nodes_count():
    rows = table(0.3, 1.0, 0.3, -30, 60)
    assert lattice_sum(2.5, rows, 40, 0.3, 0.0) == lattice_sum(2.5, rows[:, :40].copy(), 40, 0.3, 0.0)
    assert highest_exponent(2.5, rows, 1) == 2.5 * rows[LOG_RATIO, 0] - rows[HALF_SQUARE, 0]
