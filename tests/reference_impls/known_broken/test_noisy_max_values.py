from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.sampling.streams import stream
from reference_impls.known_broken.noisy_max_value_exponential import NoisyMaxValueExponential
from reference_impls.known_broken.noisy_max_value_laplace import NoisyMaxValueLaplace, true_epsilon


@pytest.mark.parametrize("answers", [1, 3, 5])
def test_the_lower_tail_of_the_laplace_maximum_moves_by_half_an_epsilon_an_answer(answers: int) -> None:
    # P(max <= x) = F(x)^k, and F is exponential below 0: exact for every x <= 0 when all answers go from 0 to 1.
    scale = 2.0 / 0.1
    for x in (-50.0, -1.0, 0.0):
        ratio = answers * (stats.laplace.logcdf(x, 0.0, scale) - stats.laplace.logcdf(x, 1.0, scale))
        assert ratio == pytest.approx(true_epsilon(0.1, answers))
    assert (true_epsilon(0.1, answers) > 0.1) == (answers >= 3)


def test_laplace_maxima_follow_that_law(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    values = NoisyMaxValueLaplace(epsilon=0.1).sample(np.zeros(5), 100_000, rng=stream(32))
    assert follows(values, lambda x: stats.laplace.cdf(x, 0.0, 20.0) ** 5)


def test_the_exponential_maximum_never_falls_below_the_largest_answer() -> None:
    mechanism = NoisyMaxValueExponential(epsilon=0.1)
    before, after = np.array([0.0, -10, -10, -10, -10]), np.array([1.0, -9, -9, -9, -9])
    size = 200_000
    chance = float(np.prod(stats.expon.cdf(1.0 - before, scale=20.0)))
    below = int((mechanism.sample(before, size, rng=stream(33)) < 1.0).sum())
    assert mechanism.sample(after, size, rng=stream(34)).min() >= 1.0
    # False-alarm probability 1e-9, by Poisson's tails.
    assert stats.poisson.ppf(5e-10, size * chance) <= below <= stats.poisson.ppf(1 - 5e-10, size * chance)
    assert below > 100
