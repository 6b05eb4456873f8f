"""Sums of doubles: right in real numbers, and impossible outputs as the docstrings count them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream
from reference_impls.floating_point import float_gaussian, float_laplace
from reference_impls.floating_point.float_gaussian import SAMPLERS, FloatGaussian
from reference_impls.floating_point.float_laplace import FloatLaplace, SingleLaplace, inverted

DRAWS = 200_000
CASES = [
    (FloatLaplace(epsilon=0.1), stats.laplace(scale=10.0), float_laplace.impossible_at_least(10.0), 53),
    (SingleLaplace(epsilon=0.1), stats.laplace(scale=10.0), float_laplace.impossible_at_least(10.0), 24),
    *(
        (FloatGaussian(sigma=4.0, sampler=sampler), stats.norm(scale=4.0), float_gaussian.impossible_at_least(4.0), 53)
        for sampler in SAMPLERS
    ),
]


@pytest.mark.parametrize(("mechanism", "law", "_impossible", "_bits"), CASES)
def test_in_real_numbers_the_law_is_right(mechanism, law, _impossible, _bits, follows):
    out = mechanism.sample([3.0], DRAWS, rng=stream(1, "law")).astype(np.float64)
    assert follows(out, lambda x: law.cdf(x - 3.0))


@pytest.mark.parametrize(("mechanism", "_law", "impossible", "bits"), CASES)
def test_near_zero_the_other_answers_outputs_lie_on_a_coarse_grid_and_these_do_not(mechanism, _law, impossible, bits):
    """No output within 1/4 of 0 at the answer 1 is off the grid, by arithmetic; at 0 as many are as the docstring says.

    The count falls seven standard errors below that with probability below 1e-11.
    """
    grid = 2.0**-bits
    off = []
    for answer in (0.0, 1.0):
        out = mechanism.sample([answer], DRAWS, rng=stream(2, "grid", int(answer))).astype(np.float64)
        near = out[np.abs(out) < 0.25]
        assert near.size > 100
        off.append(int(np.count_nonzero(near / grid != np.rint(near / grid))))  # exact: a power of two
    assert off[1] == 0
    expected = impossible * DRAWS
    assert off[0] > expected - 7 * np.sqrt(expected)


def test_inversion_is_the_quantile_function():
    uniform = np.arange(1, 1024) / 1024
    np.testing.assert_allclose(inverted(uniform), stats.laplace.ppf(uniform), rtol=1e-14)
    assert inverted(uniform.astype(np.float32)).dtype == np.float32


def test_single_precision_is_single_throughout():
    assert SingleLaplace(epsilon=1.0).sample([0.0], 8, rng=stream(3)).dtype == np.float32


def test_a_sampler_that_is_not_known_is_one_line():
    with pytest.raises(InputError, match="sampler = 'inverse'; allowed: box-muller, polar, ziggurat"):
        FloatGaussian(sampler="inverse")


def test_what_is_registered(registered):
    for name, entry in registered.entries.items():
        assert entry.suites == ("floating-point",)
        broken = entry.claim.subject in registered.known_broken
        assert entry.expectation == ("broken" if broken else "stands"), name
        subject = registered.subject(entry.claim.subject)(**entry.claim.parameters)
        pairs = registered.neighbors.get(entry.claim.relation).candidates(entry.claim.space, limit=4, rng=stream(0))
        for pair in pairs:
            first, again = (subject.sample(pair.d0, 20, rng=stream(1)) for _ in range(2))
            np.testing.assert_array_equal(first, again)
            assert subject.query(pair.d1).shape == (1,)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_interval_of_impossible_outputs_is_the_law_s(epsilon):
    law = stats.laplace(scale=1 / epsilon)
    assert float_laplace.impossible_at_least(1 / epsilon) == pytest.approx((law.cdf(0.25) - law.cdf(-0.25)) / 2)
    normal = stats.norm(scale=1 / epsilon)
    assert float_gaussian.impossible_at_least(1 / epsilon) == pytest.approx((normal.cdf(0.25) - normal.cdf(-0.25)) / 2)


def test_the_grid_argument_in_fractions():
    """1 and any double in [-2, -1/2] are multiples of 2^-53, and so is their sum, which a double holds exactly."""
    for noise in (-0.5 - 2.0**-53, -1.2345678901234567, -1.9999999999999998):
        total = 1.0 + noise
        assert Fraction(total) == 1 + Fraction(noise)
        assert (Fraction(total) * 2**53).denominator == 1
