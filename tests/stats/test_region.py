"""The rectangle: one corner, two limits, a share of alpha each."""

import copy

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from dpverify.stats.region import RectangleRegion, evaluated


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
