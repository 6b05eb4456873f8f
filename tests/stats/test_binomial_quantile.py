"""Quantiles of binomial and hypergeometric laws are those of scipy.stats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.stats.binomial_quantile import binomial_quantile, reaches

LEVELS = [0.2, 0.8, 1 - 0.8**0.5, 0.8**0.5, 0.8 ** (1 / 3), 0.001, 0.999]


@pytest.mark.parametrize("trials", [1, 2, 10, 1000, 1024, 400_000, 10_000_000])
def test_as_scipy_says(trials):
    rng = np.random.default_rng(trials)
    small = 10.0 ** rng.uniform(-12, 0, 200)
    p = np.concatenate([rng.random(200), small, 1.0 - small, [0.0, 0.25, 0.5, 1.0]])
    for level in LEVELS:
        found = binomial_quantile(level, trials, p)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, stats.binom.ppf(level, trials, p))


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 10**6), st.floats(0, 1))
def test_it_is_the_smallest_with_that_probability(level, trials, p):
    k = int(binomial_quantile(level, trials, p))
    assert 0 <= k <= trials
    assert stats.binom.cdf(k, trials, p) >= level * (1 - 1e-9)
    assert k == 0 or stats.binom.cdf(k - 1, trials, p) <= level + 1e-9


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 10**6), st.floats(1e-9, 1 - 1e-9), st.integers(-2, 2))
def test_whether_it_reaches_a_number_is_said_of_the_quantile_itself(level, trials, p, beside):
    k = int(binomial_quantile(level, trials, p))
    assert reaches(k + beside, level, trials, p) is (beside <= 0)
