"""The product region: its constant, its boundary, and how little the search loses."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from dpverify.core.errors import InputError
from dpverify.stats.epsilon import epsilon_lower, mu_lower
from dpverify.stats.joint import (
    JointRegion,
    excess_lower,
    planned_share,
    product_log_constant,
    refutes,
    region_from_counts,
)
from dpverify.stats.region import RectangleRegion


def log_ratio(p, q):
    return np.log(np.maximum(p, 1e-320)) - np.log(q)


def excess(p, q):
    return p - 1.5 * q


def shift(p, q):
    return special.ndtri(np.maximum(p, 1e-300)) - special.ndtri(np.minimum(q, 1.0 - 1e-16))


BOUNDS = [log_ratio, excess, shift]
COUNTS = [
    (27183, 10**6, 10_000, 10**6),
    (30, 100, 5, 100),
    (100, 100, 0, 100),
    (500, 1000, 20, 1000),
    (990, 1000, 800, 1000),
    (50, 10**5, 2, 3 * 10**6),
    (8, 12, 1, 9),
]


def boundary(region, points=1201):
    """The naive twin: the exact boundary curve on a fine grid."""
    a, b = 2.0 * region.share, 2.0 - 2.0 * region.share
    ends = np.concatenate([special.log_ndtr(np.linspace(-9.0, 6.0, points)), [0.0]])
    t = np.concatenate([a * ends, region.log_constant - b * ends])
    t = t[(t > region.log_constant) & (t < 0.0)]
    p = special.betaincinv(region.k1, region.n1 - region.k1 + 1.0, np.exp(t / a))
    q = special.betainccinv(region.k2 + 1.0, region.n2 - region.k2, np.exp((region.log_constant - t) / b))
    return p, q


@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-3, 1e-9, 1e-100, 1e-299])
def test_even_share_is_fishers_product(alpha):
    """c (1 - ln c) = alpha, and -2 ln c is the quantile of chi-square with four degrees of freedom."""
    log_c = product_log_constant(alpha)
    assert log_c + math.log1p(-log_c) == pytest.approx(math.log(alpha), rel=1e-12)
    if alpha > 1e-250:
        assert -2.0 * log_c == pytest.approx(stats.chi2.isf(alpha, 4), rel=1e-9)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.4999999, 0.5000001, 0.8])
@pytest.mark.parametrize("alpha", [0.2, 0.01, 1e-6])
def test_uneven_share_is_the_probability_that_a_product_is_small(share, alpha):
    log_c = product_log_constant(alpha, share=share)
    a, b = 2.0 * share, 2.0 - 2.0 * share
    # P(U1^a U2^b <= c): U1 below c^(1/a), else U2 below (c / U1^a)^(1/b); in the variable ln U1
    below, above = math.exp(log_c / a), log_c / a
    rest = integrate.quad(lambda x: math.exp(x + (log_c - a * x) / b), above, 0.0, epsabs=0.0, epsrel=1e-10)[0]
    assert below + rest == pytest.approx(alpha, rel=1e-8)
    assert log_c == pytest.approx(product_log_constant(alpha, share=1.0 - share), rel=1e-12)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize(("alpha", "share"), [(0.05, 0.5), (1e-6, 0.3)])
def test_minimum_is_below_the_curve_and_close_to_it(bound, counts, alpha, share):
    k1, n1, k2, n2 = counts
    region = JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=alpha, share=share)
    exact = float(np.min(bound(*boundary(region))))
    found = region.minimum(bound)
    assert found <= exact + 1e-12
    assert found >= exact - 1e-3 * abs(exact) - 1e-6
    assert found >= float(np.min(bound(*region.corners()))) - 1e-3 * abs(exact)


@pytest.mark.parametrize("counts", COUNTS)
def test_the_staircase_holds_the_region(counts):
    """Points of the curve, pushed a hair inside, all lie in some rectangle of the staircase."""
    k1, n1, k2, n2 = counts
    region = JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=0.01, share=0.4)
    low_p, high_q = region.corners()
    assert np.all(np.diff(low_p) >= 0.0)
    assert np.all(np.diff(high_q) >= 0.0)
    p, q = boundary(region, points=2001)
    held = (p[:, None] * (1.0 + 1e-9) >= low_p) & (q[:, None] * (1.0 - 1e-9) <= high_q)
    assert held.any(axis=1).all()


def test_a_staircase_with_inner_corners_would_not_hold_it():
    """Sabotage: with both ends taken from the inner side of each cell the same check fails."""
    region = JointRegion(k1=30, n1=100, k2=5, n2=100, alpha=0.01)
    low_p, high_q = region.corners()
    p, q = boundary(region, points=2001)
    held = (p[:, None] >= low_p[1:]) & (q[:, None] <= high_q[:-1])
    assert not held.any(axis=1).all()


def test_above_the_rectangle_where_both_sides_are_uncertain():
    counts = {"k1": 27183, "n1": 10**6, "k2": 10_000, "n2": 10**6, "alpha": 0.05}
    assert epsilon_lower(JointRegion(**counts)) == pytest.approx(0.9777, abs=5e-4)
    assert epsilon_lower(JointRegion(**counts)) > epsilon_lower(RectangleRegion(**counts)) + 0.008


def test_planned_share_pays_where_one_side_is_certain():
    plan = {"k1": 1000, "n1": 1000, "k2": 0, "n2": 1000, "alpha": 0.05}
    share = planned_share(**plan, bound=epsilon_lower)
    assert share == 0.05
    even, split = epsilon_lower(JointRegion(**plan)), epsilon_lower(RectangleRegion(**plan))
    assert even < split < epsilon_lower(JointRegion(**plan, share=share))
    assert planned_share(k1=0, n1=10, k2=5, n2=10, alpha=0.05, bound=epsilon_lower) == 0.5
    assert planned_share(**(plan | {"alpha": 1e-200}), bound=epsilon_lower) in (0.3, 0.4, 0.5)  # others too extreme
    assert planned_share(**plan, bound=epsilon_lower, method="split") < 0.5


def test_a_search_that_may_end_early_stays_on_the_side_of_the_minimum():
    asked = []

    def counted(p, q):
        asked.append(p.size)
        return log_ratio(p, q)

    for counts in COUNTS:
        region = JointRegion(**dict(zip(("k1", "n1", "k2", "n2"), counts, strict=True)), alpha=0.05)
        least = region.minimum(log_ratio)
        for low, high in ((least + 0.1, math.inf), (-math.inf, least - 0.1), (least + 0.1, least + 0.1)):
            found = region.minimum(counted, unless=(low, high))
            assert found < low or found > high
        assert region.minimum(log_ratio, unless=(least, math.inf)) == least
    assert max(asked) < 80  # the first nodes settle it
    even = RectangleRegion(k1=30, n1=100, k2=5, n2=100, alpha=0.05)
    assert even.minimum(excess, unless=(5.0, 5.0)) == even.minimum(excess)


def test_no_information_gives_trivial_corners():
    region = JointRegion(k1=0, n1=10, k2=10, n2=10, alpha=0.05)
    p, q = region.corners()
    assert not p.any()
    assert np.all(q == 1.0)
    assert region.minimum(lambda p, q: p - q) == -1.0


def test_extreme_levels_work():
    for alpha in (1e-295, 1.0 - 1e-12):
        region = JointRegion(k1=70, n1=100, k2=5, n2=100, alpha=alpha)
        assert region.minimum(excess) <= 0.7 - 1.5 * 0.05 if alpha < 0.5 else math.isfinite(region.minimum(excess))


def test_a_region_travels():
    region = JointRegion(k1=3, n1=10, k2=0, n2=10, alpha=0.1, share=0.3)
    again = copy.deepcopy(region)
    assert again == region
    assert again.log_constant == region.log_constant


@pytest.mark.parametrize(
    "change", [{"k1": 11}, {"k2": -1}, {"n1": 0}, {"alpha": 0.0}, {"share": 0.01}, {"alpha": 1e-299, "share": 0.1}]
)
def test_bad_input_is_told(change):
    with pytest.raises(InputError, match="allowed"):
        JointRegion(**({"k1": 3, "n1": 10, "k2": 0, "n2": 10, "alpha": 0.1} | change))


def test_unknown_method_is_told():
    with pytest.raises(InputError, match="method"):
        region_from_counts(1, 2, 1, 2, alpha=0.1, method="both")


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.floats(1e-9, 0.4),
    st.floats(0.1, 0.9),
)
def test_minimum_is_monotone_in_counts_and_alpha(first, second, alpha, share):
    """Up to what the search may lose."""
    (k1, n1), (k2, n2) = first, second

    def least(k1, k2, alpha):
        return JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=alpha, share=share).minimum(excess)

    here = least(k1, k2, alpha)
    slack = 1e-3 * abs(here) + 1e-3
    if k1 < n1:
        assert least(k1 + 1, k2, alpha) >= here - slack
    if k2 < n2:
        assert least(k1, k2 + 1, alpha) <= here + slack
    assert least(k1, k2, 2.0 * alpha) >= here - slack


def pure(epsilon):
    return lambda q: np.minimum(1.0, math.exp(epsilon) * q)


def gaussian(mu):
    return lambda q: special.ndtr(special.ndtri(q) + mu)


def test_the_rectangle_s_excess_in_closed_form():
    region = region_from_counts(60, 100, 5, 100, alpha=0.05, method="split")
    assert excess_lower(region, pure(1.0)) == pytest.approx(region.p_lower - math.e * region.q_upper, rel=1e-12)
    assert excess_lower(region, np.ones_like) == pytest.approx(region.p_lower - 1.0)


@pytest.mark.parametrize("method", ["joint", "split"])
@pytest.mark.parametrize(("family", "bound"), [(pure, epsilon_lower), (gaussian, mu_lower)])
def test_refutes_just_the_parameters_below_the_bound(method, family, bound):
    region = region_from_counts(600, 1000, 100, 1000, alpha=0.01, method=method)
    value = bound(region)
    assert excess_lower(region, family(value * 0.995)) > 0.0
    assert excess_lower(region, family(value * 1.005)) < 0.0


def test_a_claim_that_allows_everything_stands_and_one_that_allows_nothing_falls():
    region = region_from_counts(5, 10, 0, 10, alpha=0.05)
    assert excess_lower(region, np.ones_like) < 0.0
    assert excess_lower(region, np.zeros_like) > 0.0


def test_a_curve_with_holes_is_told():
    with pytest.raises(InputError, match="vectorised"):
        excess_lower(region_from_counts(5, 10, 0, 10, alpha=0.05), lambda q: np.where(q > 0.2, np.nan, q))


@pytest.mark.parametrize("method", ["joint", "split"])
@given(counts=st.tuples(*[st.integers(0, 400)] * 2), left=st.sampled_from([-1e-2, -5e-4, -2e-6, 2e-6, 5e-4, 1e-2]))
def test_the_sign_alone_is_that_of_the_excess(method, counts, left):
    """Next to the edge, too: the curve is moved so that an excess of about `left` remains."""
    region = region_from_counts(counts[0], 400, counts[1], 400, alpha=0.05, method=method, share=0.4)
    at = excess_lower(region, pure(0.5)) - left

    def allowed(q):
        return pure(0.5)(q) + at

    assert refutes(region, allowed) == (excess_lower(region, allowed) > 0.0)


def test_the_sign_takes_fewer_looks():
    region = region_from_counts(600, 1000, 100, 1000, alpha=0.01)
    looks = []

    def counted(q):
        looks.append(q.size)
        return pure(1.0)(q)

    assert refutes(region, counted)
    alone = sum(looks)
    looks.clear()
    assert excess_lower(region, counted) > 0.0
    assert alone < sum(looks) / 2
