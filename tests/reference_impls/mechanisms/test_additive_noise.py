from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from dpverify.sampling.fill import fill_laplace
from dpverify.sampling.streams import state_from, stream
from reference_impls.mechanisms.additive_noise import laplace_sums, with_gaussian, with_laplace

TRIALS = 100_000


def test_no_noise_leaves_the_centres() -> None:
    np.testing.assert_array_equal(with_laplace(np.array([1.0, 2.0]), 0.0, 3, rng=stream(0)), [[1.0, 2.0]] * 3)


def test_noise_is_the_same_whatever_the_centres_and_scales() -> None:
    unit = with_laplace(np.zeros(3), 1.0, 5, rng=stream(0, "a"))
    centres, scales = np.array([1.0, -2.0, 8.0]), np.array([0.5, 2.0, 4.0])
    np.testing.assert_array_equal(with_laplace(centres, scales, 5, rng=stream(0, "a")), centres + scales * unit)


def test_blocks_of_every_size_hold_the_draws_in_order() -> None:
    """The same draws as one long filling, whatever the width: rows one after the other."""
    for size, width in ((1, 1), (2047, 1), (2049, 1), (700, 3), (3, 2047), (2, 5000)):
        draws = np.empty(size * width)
        fill_laplace(draws, *state_from(stream(0, "blocks")))
        noisy = with_laplace(np.zeros(width), 1.0, size, rng=stream(0, "blocks"))
        np.testing.assert_array_equal(noisy, draws.reshape(size, width))


def test_sums_are_those_of_the_noisy_copies() -> None:
    centres, scales = np.array([1.0, -2.0, 8.0]), np.array([0.5, 2.0, 4.0])
    noisy = with_laplace(centres, scales, 1500, rng=stream(0, "sums"))
    sums = laplace_sums(centres, scales, 1500, rng=stream(0, "sums"))
    np.testing.assert_array_equal(sums, np.cumsum(noisy, axis=1))


def test_laplace_noise(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, six checks.
    noisy = with_laplace(np.array([3.0, -1.0]), np.array([2.0, 0.5]), TRIALS, rng=stream(1, "laplace"))
    assert follows(noisy[:, 0], stats.laplace(3.0, 2.0).cdf)
    assert follows(noisy[:, 1], stats.laplace(-1.0, 0.5).cdf)
    assert not follows(noisy[:, 0], stats.laplace(3.0, 1.8).cdf)


def test_gaussian_noise(follows: Callable[..., bool]) -> None:
    noisy = with_gaussian(np.array([3.0, -1.0]), np.array([2.0, 0.5]), TRIALS, rng=stream(1, "gaussian"))
    assert follows(noisy[:, 0], stats.norm(3.0, 2.0).cdf)
    assert follows(noisy[:, 1], stats.norm(-1.0, 0.5).cdf)
    assert not follows(noisy[:, 0], stats.norm(3.0, 1.8).cdf)


def test_coordinates_are_independent() -> None:
    noisy = with_laplace(np.zeros(2), 1.0, TRIALS, rng=stream(1, "pair"))
    correlation = np.mean(noisy[:, 0] * noisy[:, 1]) / 2.0
    # The product has variance 4: six standard deviations, false-alarm probability 2e-9.
    assert abs(correlation) < 6.0 / np.sqrt(TRIALS)
