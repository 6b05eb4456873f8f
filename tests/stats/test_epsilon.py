"""Epsilon and delta from counts: golden values, closed forms, monotonicity."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.stats.epsilon import delta_lower, epsilon_lower, epsilon_lower_from_counts
from dpverify.stats.joint import JointRegion, region_from_counts
from dpverify.stats.region import RectangleRegion

GOLDEN = [  # computed once with plain Clopper-Pearson intervals at alpha/2 each
    (27183, 10**6, 10_000, 10**6, 0.968742),
    (1000, 1000, 0, 1000, 5.600588),
    (10**4, 10**4, 0, 10**4, 7.904833),
    (10**6, 10**6, 0, 10**6, 12.510186),
]


@pytest.mark.parametrize(("k1", "n1", "k2", "n2", "value"), GOLDEN)
def test_golden_values_of_the_split(k1, n1, k2, n2, value):
    assert epsilon_lower_from_counts(k1, n1, k2, n2, alpha=0.05, method="split") == pytest.approx(value, abs=1.5e-6)


@pytest.mark.parametrize("n", [10, 1000, 10**7])
@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_perfect_separation_in_closed_form(n, alpha):
    half = math.log(alpha / 2.0) / n
    value = half - math.log(-math.expm1(half))
    assert epsilon_lower_from_counts(n, n, 0, n, alpha=alpha, method="split") == pytest.approx(
        max(0.0, value), rel=1e-6
    )


def test_delta_in_closed_form():
    region = RectangleRegion(k1=60, n1=100, k2=5, n2=100, alpha=0.05)
    assert delta_lower(region, epsilon=1.0) == pytest.approx(region.p_lower - math.e * region.q_upper, rel=1e-12)
    assert delta_lower(region, epsilon=0.0) == pytest.approx(region.p_lower - region.q_upper, rel=1e-12)
    assert delta_lower(region, epsilon=800.0) == 0.0
    assert epsilon_lower(region, delta=0.1) == pytest.approx(
        math.log((region.p_lower - 0.1) / region.q_upper), rel=1e-12
    )
    assert epsilon_lower(region, delta=0.99) == 0.0


def test_nothing_seen_shows_nothing():
    for method in ("joint", "split"):
        assert epsilon_lower_from_counts(0, 10, 0, 10, alpha=0.05, method=method) == 0.0
        assert epsilon_lower_from_counts(10, 10, 10, 10, alpha=0.05, method=method) == 0.0
        assert delta_lower(region_from_counts(0, 10, 0, 10, alpha=0.05, method=method), epsilon=0.0) == 0.0


@pytest.mark.parametrize("method", ["joint", "split"])
def test_epsilon_and_delta_bounds_are_two_readings_of_one_region(method):
    region = region_from_counts(600, 1000, 100, 1000, alpha=0.01, method=method)
    epsilon = epsilon_lower(region, delta=0.05)
    assert delta_lower(region, epsilon=epsilon * 0.995) > 0.05
    assert delta_lower(region, epsilon=epsilon * 1.005) < 0.05


@pytest.mark.parametrize("delta", [-1e-9, 1.0, math.nan])
def test_bad_delta_is_told(delta):
    with pytest.raises(InputError, match="delta"):
        epsilon_lower_from_counts(1, 2, 1, 2, alpha=0.1, delta=delta)


@pytest.mark.parametrize("epsilon", [-0.1, math.inf, math.nan])
def test_bad_epsilon_is_told(epsilon):
    with pytest.raises(InputError, match="epsilon"):
        delta_lower(JointRegion(k1=1, n1=2, k2=1, n2=2, alpha=0.1), epsilon=epsilon)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 2000), st.floats(1e-9, 0.4), st.sampled_from(["joint", "split"]))
def test_below_the_plug_in_and_monotone(data, n, alpha, method):
    k1, k2 = data.draw(st.integers(1, n)), data.draw(st.integers(1, n - 1))

    def bound(k1, k2, alpha=alpha, delta=0.0):
        return epsilon_lower_from_counts(k1, n, k2, n, alpha=alpha, delta=delta, method=method)

    here = bound(k1, k2)
    slack = 1e-3 * here + 1e-5
    assert here <= max(0.0, math.log(k1 / k2))
    assert bound(max(0, k1 - 1), k2) <= here + slack
    assert bound(k1, k2 + 1) <= here + slack
    assert bound(k1, k2, alpha=alpha / 2.0) <= here + slack
    assert bound(k1, k2, delta=0.01) <= here + slack


def test_a_slope_beyond_doubles_leaves_a_number() -> None:
    """e^epsilon q is 0 at q = 0 however large epsilon is, and beyond every p elsewhere."""
    region = RectangleRegion(k1=10, n1=10, k2=0, n2=10, alpha=0.1)
    assert delta_lower(region, epsilon=800.0) == 0.0
    certain = RectangleRegion(k1=0, n1=10, k2=0, n2=10, alpha=0.1)
    assert delta_lower(certain, epsilon=800.0) == 0.0

    class Point:
        alpha = 0.1

        def minimum(self, bound):
            return float(bound(np.array(0.5), np.array(0.0)))

    assert delta_lower(Point(), epsilon=800.0) == pytest.approx(0.5, abs=1e-12)
