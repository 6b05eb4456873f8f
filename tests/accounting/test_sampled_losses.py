"""Losses of samples and of public choices: those of the mixed laws, outcomes of one law alone among them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dpverify.accounting.composition_spec import read_composition
from dpverify.accounting.loss_sources import FiniteLoss, GaussianLoss
from dpverify.accounting.sampled_losses import ChosenLoss, sampled_losses, single_loss
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import ApproxStep
from dpverify.accounting.steps.repeat_and_select import repeat_and_select
from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.plugins import registry


def delta(loss, epsilon):
    """The hockey stick of atoms."""
    atoms = loss.atoms()
    return float(np.sum(atoms.p * -np.expm1(np.minimum(epsilon - atoms.loss, 0.0))))


def hockey(p, q, epsilon):
    return float(np.sum(np.maximum(np.asarray(p) - np.exp(epsilon) * np.asarray(q), 0.0)))


@pytest.mark.parametrize("rate", [0.01, 0.5, 1.0])
def test_listed_outcomes_are_mixed_one_by_one(rate):
    p, q = np.array([0.2, 0.5, 0.3, 0.0]), np.array([0.0, 0.1, 0.5, 0.4])
    with np.errstate(divide="ignore"):
        base = FiniteLoss(log_p=np.log(p), log_q=np.log(q), error=0.0)
    (towards,), (away,) = sampled_losses(base, rate)
    mixed = rate * p + (1 - rate) * q
    for epsilon in (0.0, 0.2, 1.0, 5.0):
        assert delta(towards, epsilon) == pytest.approx(hockey(mixed, q, epsilon), abs=1e-14)
        assert delta(away, epsilon) == pytest.approx(hockey(q, mixed, epsilon), abs=1e-14)


def test_a_choice_averages_masses_and_atoms():
    one, other = GaussianLoss(mu=1), GaussianLoss(mu=3)
    chosen = ChosenLoss(parts=((0.25, one), (0.75, other)), error=1e-10)
    edges = np.linspace(-3, 4, 15)
    found, first, second = (law.masses(edges) for law in (chosen, one, other))
    assert found.p == pytest.approx(0.25 * first.p + 0.75 * second.p) and found.p.sum() == pytest.approx(1)
    assert np.all(found.q_error >= 0.75 * second.q_error) and chosen.atoms().p_error >= 1e-10
    assert all(low <= high for low, high in pairwise(sorted([*chosen.extent(1e-9), *one.extent(1e-9)])))
    assert chosen.extent(1e-9) == other.extent(1e-9) and np.isinf(chosen.bounds()).all()
    atoms = ChosenLoss(parts=((0.5, single_loss(ApproxStep(epsilon=1, delta=0.1))),) * 2).atoms()
    assert atoms.p.sum() == pytest.approx(1) and atoms.p.size == 6


def test_a_step_without_losses_is_refused():
    assert single_loss(GaussianStep(sigma=2)) == GaussianLoss(mu=0.5)
    with pytest.raises(UnsupportedError, match="losses"):
        single_loss(repeat_and_select(step=GaussianStep(sigma=1), mean=2))


@pytest.mark.parametrize(
    "inner", ["random-allocation(steps=2, step=gaussian(sigma=1))", "stable-keys(scale=1, threshold=5)"]
)
def test_a_sample_of_laws_whose_one_sided_outcomes_are_not_listed_is_refused(inner):
    with pytest.raises(InputError, match="allowed: a step with one privacy loss"):
        read_composition(f"poisson(q=0.1, step={inner})", registry())
