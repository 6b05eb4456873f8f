"""The stopping kernels."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.sampling.streams import stream
from reference_impls.line_search.stopping import Noise, stop_counts, stop_indices

LEVELS = np.array([-1.0, 0.5, 0.0, 2.0])


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_certain_outcomes(noise: Noise) -> None:
    for levels, index in (([1e6, 0.0], 0), ([-1e6, 1e6, 0.0], 1), ([-1e6, -1e6], 2)):
        found = stop_indices(noise, np.array(levels), (1.0, 1.0), 50, rng=stream(0, "certain"))
        assert (found == index).all()


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_counts_are_the_histogram_of_the_indices(noise: Noise) -> None:
    counts = stop_counts(noise, LEVELS, (1.0, 2.0), 10_000, rng=stream(0, "same"))
    indices = stop_indices(noise, LEVELS, (1.0, 2.0), 10_000, rng=stream(0, "same"))
    assert counts.tolist() == np.bincount(indices, minlength=5).tolist()
    assert counts.sum() == 10_000


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_stream_gives_the_same_bits(noise: Noise) -> None:
    one, two, other = (
        stop_indices(noise, LEVELS, (1.0, 2.0), 1000, rng=stream(0, "bits", number)) for number in (0, 0, 1)
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


def test_the_two_noises_differ() -> None:
    """Far levels tell the tails apart: about 1000 stops against 3; 10 standard deviations between them."""
    levels = np.full(3, -6.0)
    never = [
        stop_counts(noise, levels, (1.0, 1.0), 100_000, rng=stream(2, noise))[-1] for noise in ("laplace", "gaussian")
    ]
    assert never[1] > never[0] + 500
