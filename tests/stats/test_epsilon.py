"""Epsilon and delta from counts: golden values, closed forms, monotonicity."""

import math

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats import epsilon
from dpverify.stats.epsilon import delta_lower, epsilon_lower, mu_lower
from dpverify.stats.joint import JointRegion, region_from_counts
from dpverify.stats.region import RectangleRegion
from dpverify.stats.rounding import down, up
from tests.stats.from_counts import epsilon_lower_from_counts

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


def normal_cdf(z: float) -> "arb":
    ctx.prec = 300
    try:
        return (-arb(z) / arb(2).sqrt()).erfc() / 2
    finally:
        ctx.prec = 53


@pytest.mark.parametrize(
    "p", [1e-300, 1e-100, 1e-9, 0.02, 0.31, 0.4999999, 0.5, 0.500001, 0.9, 1.0 - 1e-9, 1.0 - 2**-53]
)
def test_rounding_constant_encloses_the_quantile(p):
    z = special.ndtri(p)
    assert normal_cdf(float(down(z, epsilon.NDTRI_ULPS))) < arb(p) or z == 0.0
    assert normal_cdf(float(up(z, epsilon.NDTRI_ULPS))) > arb(p) or z == 0.0


def test_golden_value():
    """False negatives 200 of 1000, false positives 50 of 1000."""
    region = RectangleRegion(k1=800, n1=1000, k2=50, n2=1000, alpha=0.05)
    assert mu_lower(region) == pytest.approx(2.262584, abs=1e-6)
    assert mu_lower(JointRegion(k1=800, n1=1000, k2=50, n2=1000, alpha=0.05)) > 2.32


def test_symmetric_in_the_complement_of_the_event():
    """The complement under swapped data sets is the same evidence: (p, q) becomes (1 - q, 1 - p)."""
    for method in ("joint", "split"):
        one = mu_lower(region_from_counts(800, 1000, 30, 700, alpha=0.05, method=method))
        other = mu_lower(region_from_counts(670, 700, 200, 1000, alpha=0.05, method=method))
        assert one == pytest.approx(other, rel=1e-3)


def test_far_tails_are_finite_and_the_ends_show_nothing():
    assert 0.0 < mu_lower(RectangleRegion(k1=10**9, n1=10**9, k2=0, n2=10**9, alpha=1e-200)) < 20.0
    assert mu_lower(JointRegion(k1=0, n1=10, k2=0, n2=10, alpha=0.05)) == 0.0
    assert mu_lower(JointRegion(k1=10, n1=10, k2=10, n2=10, alpha=0.05)) == 0.0
    assert mu_lower(RectangleRegion(k1=1, n1=10**9, k2=0, n2=10**9, alpha=1e-290)) == 0.0


def test_without_the_nudges_it_would_still_be_close():
    region = RectangleRegion(k1=800, n1=1000, k2=50, n2=1000, alpha=0.05)
    plain = special.ndtri(region.p_lower) - special.ndtri(region.q_upper)
    assert plain - 1e-13 < mu_lower(region) < plain
    assert math.isfinite(plain)
    assert np.isscalar(mu_lower(region))
