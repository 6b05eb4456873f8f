"""Tails against enumeration; Chernoff's bound against exact hypergeometric counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpverify.loaders.tails import at_least, between, lower_tail, mean_between, most_likely, two_sided, upper_tail


@pytest.mark.parametrize("p", [0.01, 0.3, 0.9])
def test_exact_tails_are_binomial(p):
    for count in range(13):
        assert upper_tail(count, 12, p, exact=True) == pytest.approx(
            max(stats.binom.sf(count - 1, 12, p), 1e-300), rel=1e-5
        )
        assert lower_tail(count, 12, p, exact=True) == pytest.approx(stats.binom.cdf(count, 12, p), rel=1e-5)
        assert at_least(count, 12, p) == pytest.approx(stats.binom.sf(count - 1, 12, p), abs=1e-12)


def test_what_cannot_be_has_no_chance_and_what_must_be_has_all():
    assert upper_tail(5, 4, 0.5, exact=True) == 0.0
    assert upper_tail(1, 4, 0.0, exact=True) == 0.0
    assert lower_tail(3, 4, 1.0, exact=True) == 0.0
    assert lower_tail(4, 4, 1.0, exact=True) == 1.0
    assert upper_tail(10**6, 10**6, 0.01, exact=True) == 1e-300
    assert two_sided(0, 0, 0.5, 0.5, exact=True) == 1.0


def test_chernoff_lies_above_hypergeometric_tails():
    """Sums of two counts of marked ones among 8 of 20, 6 marked: 16 trials of mean 0.3."""
    one = stats.hypergeom(20, 6, 8).pmf(np.arange(9))
    both = np.convolve(one, one)
    for count in range(17):
        assert upper_tail(count, 16, 0.3, exact=False) >= both[count:].sum() - 1e-12
        assert lower_tail(count, 16, 0.3, exact=False) >= both[: count + 1].sum() - 1e-12


@pytest.mark.parametrize(("a", "b"), [(0, 3), (4, 6), (5, 5), (9, 12), (0, 12), (12, 12)])
def test_between_is_the_range_on_a_grid(a, b):
    grid = np.linspace(0.2, 0.7, 2001)
    inside = stats.binom.cdf(b, 12, grid) - stats.binom.cdf(a - 1, 12, grid)
    low, high = between(a, b, 12, 0.2, 0.7)
    assert low == pytest.approx(inside.min(), abs=1e-9)
    assert inside.max() <= high + 1e-12
    assert high == pytest.approx(inside.max(), abs=1e-6)


def test_quantiles_and_limits_of_a_mean():
    assert most_likely(1000, 0.05, (0.01, 0.5, 0.99)) == [35, 50, 67]
    assert most_likely(10, 1.0, (0.5,)) == [10]
    low, high = mean_between(300, 1000, 0.01)
    assert upper_tail(300, 1000, low, exact=False) <= 0.005
    assert upper_tail(300, 1000, low * 1.001, exact=False) > 0.005
    assert low < 0.3 < high
    assert mean_between(0, 50, 0.01)[0] == 0.0
    assert math.isclose(mean_between(0, 50, 0.01)[1], 1 - 0.005 ** (1 / 50), rel_tol=1e-3)
