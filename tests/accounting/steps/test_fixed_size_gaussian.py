"""Samples of m of n records by enumeration, against the bound; a step's worst data attain it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.loss_sources import GaussianLoss
from dpverify.accounting.privacy_loss import SampledLoss
from dpverify.accounting.steps.fixed_size_gaussian import BothWaysLoss, FixedSizeGaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError

SIZE, SAMPLE, SIGMA = 4, 2, 1.5
GRID = np.linspace(-20.0, 20.0, 8001)


def law(records: tuple[float, ...]) -> np.ndarray:
    """The density of the noisy sum of a sample, on the grid."""
    sums = [sum(each) for each in itertools.combinations(records, SAMPLE)]
    return np.mean([np.exp(-(((GRID - at) / SIGMA) ** 2) / 2) for at in sums], axis=0) / (
        SIGMA * math.sqrt(2 * math.pi)
    )


def delta(first: tuple[float, ...], second: tuple[float, ...], epsilon: float) -> float:
    gap = np.maximum(law(first) - math.exp(epsilon) * law(second), 0.0)
    return float(gap.sum() * (GRID[1] - GRID[0]))


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.8])
def test_no_data_cost_more_and_some_cost_as_much(epsilon: float) -> None:
    step = FixedSizeGaussianStep(q=SAMPLE / SIZE, sigma=SIGMA, sensitivity=2.0)
    bound = compose(Composition.of(step)).delta(epsilon)
    values = (-1.0, 0.0, 1.0)
    worst = max(
        delta((*rest, old), (*rest, new), epsilon)
        for rest in itertools.combinations_with_replacement(values, SIZE - 1)
        for old, new in itertools.permutations(values, 2)
    )
    assert worst <= bound.upper * (1 + 1e-6) + 1e-9
    assert worst >= bound.lower * (1 - 1e-3)


def test_two_steps_in_opposite_orders_cost_no_more() -> None:
    """One release under each order of the mixture and its base law: what no single direction's composition covers."""
    step = FixedSizeGaussianStep(q=0.5, sigma=1.0, sensitivity=1.0)
    grid = np.linspace(-9.0, 10.0, 1901)
    still = np.exp(-(grid**2) / 2)
    moved = 0.5 * still + 0.5 * np.exp(-((grid - 1.0) ** 2) / 2)
    still, moved = still / still.sum(), moved / moved.sum()
    first, second = np.outer(moved, still), np.outer(still, moved)
    bound = compose(Composition.repeat(step, 2))
    for epsilon in (0.0, 0.3, 0.6):
        assert np.maximum(first - math.exp(epsilon) * second, 0.0).sum() <= bound.delta(epsilon).upper * (1 + 1e-4)


def test_bad_numbers() -> None:
    for numbers in ({"q": -0.1, "sigma": 1.0}, {"q": 0.1, "sigma": 0.0}, {"q": 0.1, "sigma": 1e-200}):
        with pytest.raises(InputError):
            FixedSizeGaussianStep(**numbers)


def test_one_direction_stands_for_both_orders() -> None:
    ((loss,),) = FixedSizeGaussianStep(q=0.1, sigma=1.0, sensitivity=1.0).losses()
    found = loss.masses(np.linspace(-2.0, 2.0, 41))
    assert found is not None
    assert np.allclose(found.p, found.q[::-1], atol=1e-15)


@pytest.mark.parametrize(("mu", "rate"), [(1.0, 0.01), (0.3, 0.5), (4.0, 0.9)])
def test_it_is_a_pair_of_laws_symmetric(mu: float, rate: float) -> None:
    loss = BothWaysLoss(base=SampledLoss(base=GaussianLoss(mu=mu), rate=rate))
    at = np.linspace(-3.0, 3.0, 61)
    found, atoms = loss.masses(at), loss.atoms()
    assert found is not None
    assert found.p.sum() + atoms.p.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(found.p, found.q[::-1], atol=1e-15)
    assert 0 < atoms.p[0] < 1
    base = loss.base.masses(np.array([0.0, 1.0]))
    assert base is not None
    assert found.p[at.searchsorted(1.0) + 1 :].sum() == pytest.approx(base.p[-1], rel=1e-9)


@pytest.mark.parametrize(("q", "sigma"), [(0.01, 1.0), (0.3, 2.0)])
def test_one_step_has_the_profile_of_the_mixture(q: float, sigma: float) -> None:
    """Of (1 - q) N(0) + q N(1) against N(0), the larger direction of the Poisson sample's pair."""
    ours = compose(Composition.of(FixedSizeGaussianStep(q=q, sigma=sigma, sensitivity=1.0)))
    mixture = compose(Composition.of(PoissonGaussianStep(q=q, sigma=sigma)))
    for epsilon in (0.0, 0.1, 0.4):
        low, high = ours.delta(epsilon), mixture.delta(epsilon)
        assert low.upper >= high.lower * (1 - 1e-9)
        assert low.lower <= high.upper * (1 + 1e-9) + 1e-12


def test_a_composition_costs_no_less_than_the_mixtures() -> None:
    """Which some neighbours attain, in either order."""
    for count in (2, 50):
        ours = compose(Composition.repeat(FixedSizeGaussianStep(q=0.05, sigma=1.0, sensitivity=1.0), count))
        attained = compose(Composition.repeat(PoissonGaussianStep(q=0.05, sigma=1.0), count))
        assert ours.epsilon(1e-5).upper >= attained.epsilon(1e-5).lower
