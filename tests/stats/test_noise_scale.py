"""Tests of the scale and law of noise, against other routes and against draws."""

import math

import numpy as np
import pytest
from scipy import stats

from dpverify.stats.noise_scale import correlation_p_value, detectable_scales, law_p_value, scale_p_value


@pytest.mark.parametrize("count", [1, 7, 300])
@pytest.mark.parametrize("quantile", [1e-9, 0.01, 0.3, 0.8, 1 - 1e-9])
def test_p_values_of_a_scale_are_those_of_chi_squared(count, quantile):
    squares = stats.chi2.ppf(quantile, count)
    expected = 2 * min(quantile, 1 - quantile)
    assert scale_p_value(np.array(squares), count) == pytest.approx(expected, rel=1e-5)


def test_detectable_scales_are_seen_with_80_percent():
    count, level = 400, 1e-6
    low, high = detectable_scales(count, level)
    assert low < 1 < high
    for scale in (low, high):
        limits = stats.chi2.ppf(level / 2, count), stats.chi2.isf(level / 2, count)
        power = stats.chi2.cdf(limits[0] / scale**2, count) + stats.chi2.sf(limits[1] / scale**2, count)
        assert power == pytest.approx(0.8, abs=1e-6)


def test_the_law_is_compared_by_the_kolmogorov_distance():
    values = np.random.default_rng(1).normal(size=5000)
    distance, p = law_p_value(values)
    assert distance == pytest.approx(stats.kstest(values, "norm").statistic)
    assert p >= stats.kstest(values, "norm").pvalue * 0.9  # Massart's bound is above the exact one
    assert law_p_value(np.random.default_rng(1).uniform(-math.sqrt(3), math.sqrt(3), 20_000))[1] < 1e-9


def test_p_values_of_correlations_are_those_of_draws():
    """20,000 draws: a share of 0.05 lies within 0.01 of it, but for a probability of 1e-9."""
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(2, 20_000, 9))
    found = np.sum(first * second, axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
    share = np.mean(correlation_p_value(found, 9) <= 0.05)
    assert share == pytest.approx(0.05, abs=0.01)
    assert correlation_p_value(np.array(1.0), 9) == 0.0
