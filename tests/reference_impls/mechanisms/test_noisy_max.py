from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.sampling.streams import stream
from reference_impls.mechanisms.noisy_max import Noise, noisy_maxima, noisy_winner_counts, noisy_winners

SCORES, SCALE = np.array([0.0, 1.0, -0.5]), 1.5
CDF = {"laplace": stats.laplace.cdf, "exponential": stats.expon.cdf, "gumbel": stats.gumbel_r.cdf}
NOISES: list[Noise] = ["laplace", "exponential", "gumbel"]


def twin(noise: Noise, size: int, rng: np.random.Generator) -> np.ndarray:
    draw = {"laplace": rng.laplace, "exponential": rng.exponential, "gumbel": rng.gumbel}[noise]
    return SCORES + SCALE * draw(size=(size, SCORES.size))


@pytest.mark.parametrize("noise", NOISES)
def test_counts_are_the_histogram_of_the_winners(noise: Noise) -> None:
    counts = noisy_winner_counts(SCORES, SCALE, noise, 10_000, rng=stream(6, noise))
    winners = noisy_winners(SCORES, SCALE, noise, 10_000, rng=stream(6, noise))
    np.testing.assert_array_equal(counts, np.bincount(winners, minlength=3))


@pytest.mark.parametrize("noise", NOISES)
def test_maxima_have_the_product_law(noise: Noise, follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a noise.
    maxima = noisy_maxima(SCORES, SCALE, noise, 100_000, rng=stream(6, noise, "maxima"))
    cdf = CDF[noise]
    assert follows(maxima, lambda x: np.prod([cdf((x - score) / SCALE) for score in SCORES], axis=0))


@pytest.mark.parametrize("noise", NOISES)
def test_winners_match_a_plain_numpy_twin(noise: Noise, alike: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, six checks.
    counts = noisy_winner_counts(SCORES, SCALE, noise, 200_000, rng=stream(6, noise, "counts"))
    plain = np.bincount(np.argmax(twin(noise, 200_000, np.random.default_rng(6)), axis=1), minlength=3)
    assert alike(counts, plain)
    assert not alike(noisy_winner_counts(SCORES, SCALE * 0.9, noise, 200_000, rng=stream(6, noise)), plain)
