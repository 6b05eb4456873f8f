"""dp_accounting's noise: drawn from its own distribution functions, with the law that they say."""

import numpy as np
import pytest

pytest.importorskip("dp_accounting")

from dpverify.adapters.libraries import find_library
from dpverify.sampling.streams import stream


@pytest.fixture(scope="module")
def claims():
    return {each.id: each for each in find_library("dp_accounting").offers("quick").claims}


def test_every_class_with_a_guarantee_has_a_claim_and_a_twin(claims):
    names = {each.constructor for each in claims.values()}
    assert names >= {"LaplacePrivacyLoss", "GaussianPrivacyLoss", "DiscreteLaplacePrivacyLoss"}
    assert names == {each.constructor for each in claims.values() if each.twin}


def test_the_noise_has_the_law_of_the_class(claims):
    (claim,) = [each for name, each in claims.items() if name.startswith("LaplacePrivacyLoss") and not each.twin]
    drawn = np.sort(claim.build()(0.0, 20_000, rng=stream(0, "laplace")))
    from scipy.stats import laplace

    heights = laplace.cdf(drawn)  # epsilon 1: scale 1, whatever the delta
    gap = np.abs(heights - (np.arange(drawn.size) + 0.5) / drawn.size).max()
    # Dvoretzky-Kiefer-Wolfowitz: above 0.0233 with probability 2 exp(-2 * 20000 * 0.0233^2) = 8e-10.
    assert gap < 0.0233


def test_integers_come_out_where_the_noise_is_discrete(claims):
    (claim,) = [each for name, each in claims.items() if name.startswith("DiscreteLaplace") and not each.twin]
    drawn = claim.build()(1.0, 2_000, rng=stream(0, "discrete"))
    assert np.array_equal(drawn, np.round(drawn))
    # P(noise = 0) = (1 - 1/e) / (1 + 1/e) = 0.462; 2,000 draws are within 0.075 (6.7 standard deviations).
    assert abs((drawn == 1.0).mean() - 0.462) < 0.075
