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
from dpverify.stats.epsilon import ROUNDING, binary_renyi, delta_lower, epsilon_lower, mu_lower, renyi_lower
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


ORDERS = [0.1, 0.5, 0.999, 1.0, 1.001, 1.5, 2.0, 8.0, 64.0, 1e4]


def exact(p: float, q: float, order: float) -> float:
    """Naive twin in 400 bits."""
    ctx.prec = 400
    try:
        x, y, a = arb(p), arb(q), arb(order)
        if order == 1.0:
            return float(x * (x / y).log() + (1 - x) * ((1 - x) / (1 - y)).log())
        total = x**a * y ** (1 - a) + (1 - x) ** a * (1 - y) ** (1 - a)
        return float(total.log() / (a - 1))
    finally:
        ctx.prec = 53


def test_golden_value_beside_the_simpler_form():
    assert float(binary_renyi(0.3, 0.1, 2.0)) == pytest.approx(0.367725, abs=1e-6)
    assert 2.0 * math.log(0.3) - math.log(0.1) == pytest.approx(-0.105361, abs=1e-6)  # what the simpler form shows


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("p", "q"),
    [(0.3, 0.1), (0.1, 0.3), (0.5, 0.5 - 1e-9), (1e-12, 1e-15), (0.999999, 0.2), (1e-3, 1.001e-3), (0.6, 1e-200)],
)
def test_agrees_with_400_bits(p, q, order):
    logs = abs(math.log(p / q)) + abs(math.log((1.0 - p) / (1.0 - q)))
    weight = 1.0 - sum(math.log(x) for x in (p, 1.0 - p, q, 1.0 - q))
    assert float(binary_renyi(p, q, order)) == pytest.approx(
        exact(p, q, order), rel=1e-13, abs=ROUNDING * logs * weight
    )


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, math.inf])
def test_edges(order):
    assert float(binary_renyi(0.3, 0.3, order)) == 0.0
    assert float(binary_renyi(0.0, 0.0, order)) == 0.0
    assert float(binary_renyi(1.0, 1.0, order)) == 0.0
    assert float(binary_renyi(1.0, 0.0, order)) == math.inf
    assert float(binary_renyi(0.0, 1.0, order)) == math.inf
    assert float(binary_renyi(0.0, 0.2, order)) == pytest.approx(-math.log(0.8), rel=1e-14)
    assert float(binary_renyi(1.0, 0.2, order)) == pytest.approx(-math.log(0.2), rel=1e-14)
    support = math.inf if order >= 1.0 else order / (order - 1.0) * math.log(0.8)
    assert float(binary_renyi(0.2, 0.0, order)) == pytest.approx(support, rel=1e-14)
    assert float(binary_renyi(0.8, 1.0, order)) == pytest.approx(support, rel=1e-14)


def test_infinite_order_is_the_largest_log_ratio():
    assert float(binary_renyi(0.3, 0.1, math.inf)) == pytest.approx(math.log(3.0))
    assert float(binary_renyi(0.1, 0.3, math.inf)) == pytest.approx(math.log(9.0 / 7.0))
    assert float(binary_renyi(0.3, 0.1, 1e6)) == pytest.approx(math.log(3.0), abs=1e-5)


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
def test_the_rectangle_s_bound_is_the_divergence_at_its_corner(order):
    region = RectangleRegion(k1=400, n1=1000, k2=100, n2=1000, alpha=0.05)
    lower = renyi_lower(region, order=order)
    assert lower.forward == pytest.approx(float(binary_renyi(region.p_lower, region.q_upper, order)), rel=1e-9)
    assert lower.backward == pytest.approx(float(binary_renyi(region.q_upper, region.p_lower, order)), rel=1e-9)
    assert (lower.forward, lower.backward) == lower


def test_zero_where_the_region_reaches_the_diagonal():
    for method in ("joint", "split"):
        for counts in ((10, 100, 9, 100), (0, 10, 10, 10), (10, 10, 10, 10), (0, 10, 0, 10)):
            assert renyi_lower(region_from_counts(*counts, alpha=0.05, method=method), order=2.0) == (0.0, 0.0)


@pytest.mark.parametrize("order", [0.0, -1.0, math.nan])
def test_bad_order_is_told(order):
    with pytest.raises(InputError, match="order"):
        binary_renyi(0.1, 0.2, order)
    with pytest.raises(InputError, match="order"):
        renyi_lower(RectangleRegion(k1=1, n1=2, k2=1, n2=2, alpha=0.1), order=order)


def test_bad_probability_is_told():
    with pytest.raises(InputError, match="probability"):
        binary_renyi(1.1, 0.2, 2.0)


@given(st.floats(1e-6, 0.999), st.floats(1e-6, 0.999), st.sampled_from([*ORDERS, math.inf]), st.floats(0.0, 1.0))
def test_rises_away_from_the_diagonal_and_with_the_order(a, b, order, part):
    p, q = max(a, b), min(a, b)
    between = q + part * (p - q)
    for far, other in ((p, q), (q, p)):
        value = float(binary_renyi(far, other, order))
        tolerance = 1e-9 + 1e-9 * value
        assert 0.0 <= float(binary_renyi(far, between, order)) <= value + tolerance
        assert 0.0 <= float(binary_renyi(between, other, order)) <= value + tolerance
        assert float(binary_renyi(far, other, 1.3 * order)) >= value - tolerance
