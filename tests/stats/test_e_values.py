"""Products of e-values: exact arithmetic, extremes, and a stopped product by enumeration."""

import itertools
import math
import sys
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.stats.betting import average_e_values, product_e_values
from dpverify.stats.multiplicity import e_bh


@example([sys.float_info.min, 0.75 * 2.0**-52])  # the nearest double is above it
@given(st.lists(st.floats(0.0, 1e60, allow_subnormal=False), max_size=12))
def test_product_is_never_above_the_exact_one(values):
    exact = math.prod(map(Fraction, values))
    found = product_e_values(values)
    if math.isinf(found):
        assert exact > 1.7e308
    else:
        assert Fraction(found) <= exact
        if exact > 1e-290:
            assert found == pytest.approx(float(exact), rel=1e-13)


def test_extremes_meet_in_the_middle():
    assert product_e_values([1e300, 1e300, 1e-300, 1e-300]) == pytest.approx(1.0, rel=1e-12)
    assert product_e_values([1e300, 1e300]) == math.inf
    assert product_e_values([]) == 1.0
    assert product_e_values([0.0, 5.0]) == 0.0
    for bad in ([-1.0], [math.nan], [0.0, math.inf], [[1.0]]):
        with pytest.raises(InputError, match="e-values"):
            product_e_values(bad)


def test_a_product_that_is_stopped_at_the_best_moment_has_expectation_one_and_a_best_average_has_not():
    """Fair coins, an e-value 1.5 or 0.5 a session; sessions are added until the product is above 1, at most four."""
    stopped = greedy = 0.0
    for sessions in itertools.product((1.5, 0.5), repeat=4):
        running = list(itertools.accumulate(sessions, lambda a, b: a * b))
        stopped += next((value for value in running if value > 1.0), running[-1]) / 16
        greedy += max(running) / 16
    assert stopped == pytest.approx(1.0)
    assert greedy > 1.1  # sabotage: the largest product is no e-value
    assert average_e_values([1.0, 3.0]) == 2.0
    assert e_bh([100.0, 1.0], alpha=0.05).tolist() == [True, False]
