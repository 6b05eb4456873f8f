"""The kernel of AboveThreshold, for both noises. Statistical checks: false-alarm probability 1e-9 each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dpverify.laws.stopping import Noise, StoppingLaw
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.stopping_index import stop_counts, stop_indices

LEVELS = np.array([-1.0, 2.0, 0.0, -4.0])
SCALES = (2.0, 4.0)

both_noises = pytest.mark.parametrize("noise", ["laplace", "gaussian"])


def twin(noise: Noise, levels: np.ndarray, scales: tuple[float, float], size: int) -> np.ndarray:
    """AboveThreshold as it is printed, on all trials at once."""
    rng = np.random.default_rng(10)
    draw = rng.laplace if noise == "laplace" else rng.normal
    threshold = draw(scale=scales[0], size=(size, 1))
    above = levels + draw(scale=scales[1], size=(size, levels.size)) >= threshold
    return np.where(above.any(axis=1), above.argmax(axis=1), levels.size)


@both_noises
def test_sure_things(noise: Noise) -> None:
    for levels, index in (([1e6, 0.0], 0), ([-1e6, 1e6, 0.0], 1), ([-1e6, -1e6], 2)):
        counts = stop_counts(noise, np.array(levels), (1.0, 1.0), 100, rng=stream(10))
        assert counts.tolist() == [100 * (place == index) for place in range(len(levels) + 1)]


@both_noises
def test_counts_are_the_histogram_of_the_indices(noise: Noise) -> None:
    counts = stop_counts(noise, LEVELS, SCALES, 10_000, rng=stream(10))
    indices = stop_indices(noise, LEVELS, SCALES, 10_000, rng=stream(10))
    np.testing.assert_array_equal(counts, np.bincount(indices, minlength=5))
    assert counts.sum() == indices.size == 10_000


@both_noises
def test_a_stream_gives_the_same_bits(noise: Noise) -> None:
    one, two, other = (stop_indices(noise, LEVELS, SCALES, 1000, rng=stream(0, "bits", number)) for number in (0, 0, 1))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


@both_noises
def test_counts_match_a_plain_numpy_twin(noise: Noise, alike: Callable[..., bool]) -> None:
    counts = stop_counts(noise, LEVELS, SCALES, 300_000, rng=stream(10, "twin"))
    plain = np.bincount(twin(noise, LEVELS, SCALES, 300_000), minlength=5)
    assert alike(counts, plain)
    assert not alike(stop_counts(noise, LEVELS, (2.0, 3.6), 300_000, rng=stream(10, "less")), plain)


@both_noises
def test_counts_follow_the_exact_law(noise: Noise, fits: Callable[..., bool]) -> None:
    law = StoppingLaw(noise=noise, threshold_scale=SCALES[0], query_scale=SCALES[1], levels=LEVELS)
    probabilities = np.exp(law.log_probabilities())
    assert fits(stop_counts(noise, LEVELS, SCALES, 1_000_000, rng=stream(10, "law")), probabilities)
    assert not fits(stop_counts(noise, LEVELS, (1.8, 4.0), 1_000_000, rng=stream(10, "law")), probabilities)
