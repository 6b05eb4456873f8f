from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpverify.laws.stopping import StoppingLaw
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.stopping_index import stopping_counts, stopping_indices

LEVELS = np.array([-1.0, 2.0, 0.0, -4.0])


def twin(levels: np.ndarray, threshold_scale: float, query_scale: float, size: int) -> np.ndarray:
    """AboveThreshold as it is printed, on all trials at once."""
    rng = np.random.default_rng(10)
    threshold = rng.laplace(scale=threshold_scale, size=(size, 1))
    above = levels + rng.laplace(scale=query_scale, size=(size, levels.size)) >= threshold
    return np.where(above.any(axis=1), above.argmax(axis=1), levels.size)


def test_counts_are_the_histogram_of_the_indices() -> None:
    counts = stopping_counts(LEVELS, 2.0, 4.0, 10_000, rng=stream(10))
    indices = stopping_indices(LEVELS, 2.0, 4.0, 10_000, rng=stream(10))
    np.testing.assert_array_equal(counts, np.bincount(indices, minlength=5))


def test_sure_things() -> None:
    assert stopping_counts(np.array([-1e6, 1e6, 0.0]), 1.0, 1.0, 100, rng=stream(10)).tolist() == [0, 100, 0, 0]
    assert stopping_counts(np.array([-1e6, -1e6]), 1.0, 1.0, 100, rng=stream(10)).tolist() == [0, 0, 100]


def test_counts_match_a_plain_numpy_twin(alike: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, two checks.
    counts = stopping_counts(LEVELS, 2.0, 4.0, 300_000, rng=stream(10, "twin"))
    plain = np.bincount(twin(LEVELS, 2.0, 4.0, 300_000), minlength=5)
    assert alike(counts, plain)
    assert not alike(stopping_counts(LEVELS, 2.0, 3.6, 300_000, rng=stream(10, "less")), plain)


def test_counts_follow_the_exact_law(fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, two checks.
    law = StoppingLaw(noise="laplace", threshold_scale=2.0, query_scale=4.0, levels=LEVELS)
    probabilities = np.exp(law.log_probabilities())
    assert fits(stopping_counts(LEVELS, 2.0, 4.0, 1_000_000, rng=stream(10, "law")), probabilities)
    assert not fits(stopping_counts(LEVELS, 1.8, 4.0, 1_000_000, rng=stream(10, "law")), probabilities)
