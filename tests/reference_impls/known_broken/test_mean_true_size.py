from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream
from reference_impls.known_broken.mean_true_size import MeanTrueSize


def mixture(number: int, mean: float, epsilon: float, factor: float, gaussian: bool) -> tuple[np.ndarray, np.ndarray]:
    """Density of a true mean with noise of scale 2 factor / (epsilon x noisy count), on a grid, by integration."""
    spread = 2 / epsilon
    edges = 1 + np.arange(1_501) * spread / 40
    weights = np.append(
        stats.laplace.cdf(1.0 - number, scale=spread), np.diff(stats.laplace.cdf(edges - number, scale=spread))
    )
    scales = 2 * factor / epsilon / np.append(1.0, (edges[1:] + edges[:-1]) / 2)
    steps = np.sinh(np.linspace(-9, 9, 1_001)) / np.sinh(9)  # dense around both means, and out to eight scales
    x = np.unique(np.concatenate([[0.0, 1.0], 0.5 + 8 * scales[0] * steps]))
    law = stats.norm if gaussian else stats.laplace
    return x, weights @ law.pdf(x, mean, scales[:, None])


def test_a_true_scale_has_no_finite_epsilon() -> None:
    # One record against two, true count in both places: Laplace scales 10 and 5 at epsilon 0.1, the same mean.
    for x in (10.0, 100.0, 1000.0):
        ratio = stats.laplace.logsf(x, 0.0, 10.0) - stats.laplace.logsf(x, 0.0, 5.0)
        assert ratio == pytest.approx(x / 10.0)


def test_a_true_mean_with_a_noisy_scale_breaks_a_small_epsilon_and_not_a_large_one() -> None:
    found = {}
    for epsilon in (0.1, 1.0, 2.0):
        _, p = mixture(1, 1.0, epsilon, 1.0, False)
        _, q = mixture(0, 0.0, epsilon, 1.0, False)
        found[epsilon] = float(np.abs(np.log(p / q)).max())
    assert found[0.1] == pytest.approx(1.303, abs=0.01)
    assert found[1.0] == pytest.approx(1.193, abs=0.01)
    assert found[2.0] < 2.0


def test_so_does_gaussian_noise() -> None:
    factor = math.sqrt(2 * math.log(1.25 / 1e-5))
    x, p = mixture(1, 1.0, 0.1, factor, True)
    _, q = mixture(0, 0.0, 0.1, factor, True)
    assert np.trapezoid(p, x) == pytest.approx(1.0, abs=1e-3)
    assert np.trapezoid(np.maximum(p - math.exp(0.1) * q, 0), x) == pytest.approx(0.026, abs=0.001)


def test_the_sound_one_is_not_among_them() -> None:
    with pytest.raises(InputError, match="sound"):
        MeanTrueSize(mean_size="noisy", scale_size="noisy")
    with pytest.raises(InputError):
        MeanTrueSize(delta=1.0)


def test_samples_follow_the_laws(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, three checks.
    both = MeanTrueSize(epsilon=0.1).sample([1.0, 0.0], 50_000, rng=stream(39))
    assert follows(both, stats.laplace(0.5, 5.0).cdf)
    gaussian = MeanTrueSize(epsilon=0.1, delta=1e-5).sample([1.0, 0.0], 50_000, rng=stream(40))
    assert follows(gaussian, stats.norm(0.5, 5.0 * math.sqrt(2 * math.log(1.25e5))).cdf)
    noisy = MeanTrueSize(epsilon=0.1, scale_size="noisy").sample([1.0], 50_000, rng=stream(41))
    x, p = mixture(1, 1.0, 0.1, 1.0, False)
    cumulative = np.concatenate([[0.0], np.cumsum((p[1:] + p[:-1]) / 2 * np.diff(x))])
    assert follows(noisy, lambda values: np.interp(values, x, cumulative / cumulative[-1]))


def test_a_noisy_count_divides_a_true_sum(follows: Callable[..., bool]) -> None:
    # Two clamped records of 1, noisy count in the mean: twin in plain numpy, false-alarm probability 1e-9.
    rng, size = np.random.default_rng(42), 50_000
    count = np.maximum(2 + rng.laplace(scale=20.0, size=size), 1.0)
    plain = 2 / count + rng.laplace(scale=20.0, size=size) / 2
    mine = MeanTrueSize(epsilon=0.1, mean_size="noisy").sample([7.0, 1.0], size, rng=stream(42))
    assert stats.ks_2samp(mine, plain, method="asymp").pvalue > 1e-9
