"""AD-TOL: what tol means where noise dominates. Records without features have no gradient: all is noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp import Adadp
from reference_impls.papers.adadp.lemmas.tolerance import noise_after, stationary_step


def no_gradient(columns: int) -> Table:
    return Table(features=np.zeros((2, columns)), labels=np.array([-1.0, 1.0]))


def test_step_sizes_are_one_over_chi_square() -> None:
    """d = 20,000, from ten times too small on: eta = 2 tol / |N_1 - N_2| once there, and near the printed size.

    |N_1 - N_2|^2 / (2 sigma^2 C^2) is chi-square of d degrees, within 8 % of d with probability 1 - 7e-14 a step at
    least (Chernoff: the tails at 1 + x are below exp(-(d / 2) (x - log(1 + x)))): 42 steps err below 3e-12.
    """
    d, sigma, clip, tol = 20_000, 2.0, 0.5, 0.3
    expected = stationary_step(tol, noise_multiplier=sigma, clip=clip, weights=np.zeros(d))
    assert expected**2 == pytest.approx(2 * tol**2 / (sigma**2 * clip**2 * d))
    algorithm = Adadp(
        steps=66, noise_multiplier=sigma, clip=clip, tol=tol, initial_step=expected / 10, error="plain", rate=0.5
    )
    whole = algorithm.transcript(no_gradient(d), rng=stream(0, "tol"))
    first = np.flatnonzero(whole.step_sizes > 0.93 * expected)[0]
    assert first == 24  # from a tenth of it by 1.1 a step: 1.1^23 = 8.95, 1.1^24 = 9.85
    assert whole.step_sizes[:24] == pytest.approx(expected / 10 * 1.1 ** np.arange(24))
    noise = [each.noise for each in whole.perturbed]
    for step in range(26, 66):
        wanted = 2 * tol / np.linalg.norm(noise[2 * step - 2] - noise[2 * step - 1])
        assert whole.step_sizes[step] == pytest.approx(wanted, rel=1e-9)
        assert (expected / whole.step_sizes[step]) ** 2 == pytest.approx(1.0, abs=0.08)


def test_the_noise_of_t_such_steps() -> None:
    """The sum of T variances eta^2 sigma^2 C^2 is 2 T tol^2 / d."""
    d, steps = 334_336, 15_000
    eta = stationary_step(1.0, noise_multiplier=4.0, clip=2.0, weights=np.zeros(d))
    assert noise_after(steps, tol=1.0, dimension=d) == pytest.approx(math.sqrt(steps) * eta * 4.0 * 2.0)
    assert noise_after(steps, tol=1.0, dimension=d) == pytest.approx(0.2995, abs=1e-4)  # the paper's MNIST


def test_beyond_the_unit_box_the_relative_error_lets_steps_grow() -> None:
    """The step that (6) aims at follows theta, held to its formula step by step."""
    d, sigma, clip = 5, 1.0, 1.0
    algorithm = Adadp(steps=400, noise_multiplier=sigma, clip=clip, rate=0.5, alpha_min=1e-9, alpha_max=1e9)
    whole = algorithm.transcript(no_gradient(d), rng=stream(0, "growth"))
    noise = [each.noise for each in whole.perturbed]
    for step in range(1, 400):
        scale = np.maximum(1.0, np.abs(whole.iterates[step]))
        wanted = 2.0 / np.linalg.norm((noise[2 * step - 2] - noise[2 * step - 1]) / scale)
        assert whole.step_sizes[step] == pytest.approx(wanted, rel=1e-6)
    box = stationary_step(1.0, noise_multiplier=sigma, clip=clip, weights=np.zeros(d))
    far = stationary_step(1.0, noise_multiplier=sigma, clip=clip, weights=np.full(d, 50.0))
    assert far == pytest.approx(50 * box)


@pytest.mark.parametrize("name", ["tol", "noise_multiplier", "clip"])
def test_numbers_that_are_not_positive_are_refused(name: str) -> None:
    own = {"tol": 1.0, "noise_multiplier": 1.0, "clip": 1.0, name: 0.0}
    with pytest.raises(InputError, match="numbers > 0"):
        stationary_step(own.pop("tol"), **own, weights=[0.0])
    with pytest.raises(InputError, match="0 weights"):
        stationary_step(1.0, noise_multiplier=1.0, clip=1.0, weights=[])
