"""mu of Gaussian differential privacy, into the tails."""

import math

import numpy as np
import pytest
from flint import arb, ctx
from scipy import special

from dpverify.stats import mu_bound
from dpverify.stats.joint import JointRegion, region_from_counts
from dpverify.stats.mu_bound import mu_lower
from dpverify.stats.region import RectangleRegion
from dpverify.stats.rounding import down, up


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
    assert normal_cdf(float(down(z, mu_bound.NDTRI_ULPS))) < arb(p) or z == 0.0
    assert normal_cdf(float(up(z, mu_bound.NDTRI_ULPS))) > arb(p) or z == 0.0


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
