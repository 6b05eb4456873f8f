"""The rectangle: one corner, two limits, a share of alpha each."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats.epsilon import epsilon_lower, mu_lower
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from dpverify.stats.joint import region_from_counts
from dpverify.stats.region import RectangleRegion, evaluated, excess_lower, refutes


def test_the_corner_is_two_clopper_pearson_limits():
    region = RectangleRegion(k1=30, n1=100, k2=5, n2=200, alpha=0.05, share=0.2)
    assert region.p_lower == float(clopper_pearson_lower(30, 100, alpha=0.01))
    assert region.q_upper == float(clopper_pearson_upper(5, 200, alpha=0.04))
    p, q = region.corners()
    assert (p.shape, q.shape) == ((1,), (1,))
    assert region.minimum(lambda p, q: p - 2.0 * q) == region.p_lower - 2.0 * region.q_upper


def test_a_region_travels():
    region = RectangleRegion(k1=np.int64(3), n1=10, k2=0, n2=10, alpha=0.1)
    assert copy.deepcopy(region) == region


@pytest.mark.parametrize(
    "change", [{"k1": 11}, {"k2": -1}, {"n1": 0}, {"alpha": 0.0}, {"alpha": 1.0}, {"share": 0.0}, {"share": 1.0}]
)
def test_bad_input_is_told(change):
    with pytest.raises(InputError, match="allowed"):
        RectangleRegion(**({"k1": 3, "n1": 10, "k2": 0, "n2": 10, "alpha": 0.1} | change))


@pytest.mark.parametrize("bound", [lambda p, q: p * np.nan, lambda p, q: 1.0])
def test_a_bound_that_is_no_bound_is_told(bound):
    with pytest.raises(InputError, match="one number for each pair"):
        evaluated(bound, np.array([0.1, 0.2]), np.array([0.1, 0.2]))


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
