"""Integer noise: masses summed directly, published values, and the bounds that go with them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps.discrete_noise import DiscreteGaussianStep, DiscreteLaplaceStep
from dpverify.core.composition import Composition


def delta(masses, shift, epsilon):
    """Directly: laws on the integers, one of them shifted."""
    p = np.concatenate((np.zeros(shift), masses))
    q = np.concatenate((masses, np.zeros(shift)))
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0)))


def gaussian(sigma):
    i = np.arange(-2000, 2001)
    masses = np.exp(-(i**2) / (2 * sigma**2))
    return masses / masses.sum()


def laplace(scale):
    i = np.arange(-4000, 4001)
    return np.tanh(1 / (2 * scale)) * np.exp(-np.abs(i) / scale)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.parametrize(("sigma", "shift"), [(1.0, 1), (0.5, 2), (20.0, 3)])
def test_discrete_gaussian(sigma, shift, epsilon):
    found = compose(Composition.of(DiscreteGaussianStep(sigma=sigma, sensitivity=shift))).delta(epsilon)
    truth = delta(gaussian(sigma), shift, epsilon)
    assert found.lower - 1e-12 <= truth <= found.upper + 1e-12


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 1), (2.0, 3), (30.0, 7)])
def test_discrete_laplace(scale, shift, epsilon):
    step = DiscreteLaplaceStep(scale=scale, sensitivity=shift)
    found = compose(Composition.of(step)).delta(epsilon)
    truth = delta(laplace(scale), shift, epsilon)
    assert found.lower - 1e-9 <= truth <= found.upper + 1e-9
    assert delta(laplace(scale), shift, step.pure_epsilon()) <= 1e-12


def test_published_values():
    """Google's library: delta of the discrete Gaussian; epsilon of ten discrete Laplace mechanisms of parameter 1/2."""
    found = compose(Composition.of(DiscreteGaussianStep(sigma=1))).delta(0.5)
    assert found.lower - 1e-8 <= 0.203982814 <= found.upper + 1e-8
    found = compose(Composition.repeat(DiscreteLaplaceStep(scale=2), 10)).epsilon(1e-5)
    assert found.lower - 1e-6 <= 4.998854 <= found.upper + 1e-6


def test_without_sensitivity_nothing_is_lost():
    for step in (DiscreteGaussianStep(sigma=1, sensitivity=0), DiscreteLaplaceStep(scale=1, sensitivity=0)):
        assert compose(Composition.repeat(step, 3)).epsilon(1e-9).upper == 0


def test_the_loss_of_discrete_gaussian_noise_is_unbounded():
    assert math.isinf(compose(Composition.of(DiscreteGaussianStep(sigma=1))).epsilon(0).upper)
