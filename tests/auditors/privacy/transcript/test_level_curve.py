"""Which noise multipliers measured events leave possible: closed form without sampling, sides, and sabotage."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from auditors.privacy.transcript.level_curve import TOLERANCE, allowed_by, level_at, refuted_level
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.stats.region import RectangleRegion

PLAIN = SubsampledGaussian(rate=1, sigma=2.0, steps=4)  # mu = 1


def test_a_rectangle_refutes_the_sigma_of_its_own_mu():
    """Without sampling the members are GDP: the corner (p, q) refutes mu' below Phi^-1(p) - Phi^-1(q)."""
    region = RectangleRegion(k1=70_000, n1=100_000, k2=30_000, n2=100_000, alpha=0.05)
    mu = float(ndtri(region.p_lower) - ndtri(region.q_upper))
    found = refuted_level(PLAIN, [region])
    exact = math.sqrt(4) / mu
    assert found is not None
    assert exact < found.sigma < exact * (1 + TOLERANCE + 3e-3)
    member = SubsampledGaussian(rate=1, sigma=found.sigma, steps=4).bracket()
    assert found.epsilon == member.lower


def test_more_regions_say_no_less():
    weak = RectangleRegion(k1=600, n1=1000, k2=500, n2=1000, alpha=0.05)
    strong = RectangleRegion(k1=700, n1=1000, k2=300, n2=1000, alpha=0.05)
    one, both = refuted_level(PLAIN, [weak]), refuted_level(PLAIN, [weak, strong])
    assert one is not None
    assert both is not None
    assert both.sigma < one.sigma
    assert both.epsilon > one.epsilon


def test_equal_sides_refute_no_member():
    region = RectangleRegion(k1=500, n1=1000, k2=500, n2=1000, alpha=0.05)
    assert refuted_level(PLAIN, [region]) is None


def test_the_member_at_a_point_is_that_of_the_curve():
    q, mu = 0.1, 1.3
    found = level_at(PLAIN, float(ndtr(ndtri(q) + mu)), q)
    assert found is not None
    assert found.sigma == pytest.approx(2.0 / mu, rel=4e-3)


def test_members_with_more_noise_allow_less_and_no_less_than_the_truth():
    guarantee = SubsampledGaussian(rate=0.25, sigma=2.0, steps=8)
    q = np.array([1e-4, 0.01, 0.3, 0.9])
    tight, lax = allowed_by(guarantee, 2.2)(q), allowed_by(guarantee, 2.0)(q)
    assert np.all(tight < lax)
    assert np.all(lax >= 1 - guarantee.tradeoff(q) - 2e-5)


def test_a_bound_from_the_wrong_corner_would_be_above_the_truth():
    """Sabotage: the estimate in place of the limits refutes the true member half of the time."""
    region = RectangleRegion(k1=69_146 + 300, n1=100_000, k2=30_854 - 300, n2=100_000, alpha=0.001)  # mu = 1 and 2 sd
    honest = refuted_level(PLAIN, [region])
    naive = level_at(PLAIN, region.k1 / region.n1, region.k2 / region.n2)
    assert honest is not None
    assert naive is not None
    assert honest.sigma > 2.0 > naive.sigma
