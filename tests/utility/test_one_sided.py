"""One end alone is on its side of the bracket of both ends and of exact costs, and near them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import pytest

from dpverify.accounting.accountants.pld import ComposedLosses, compose
from dpverify.accounting.loss_sources import Losses, directions
from dpverify.accounting.steps.fixed_size_gaussian import FixedSizeGaussianStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep, PoissonGaussianStep
from dpverify.accounting.steps.selections import ExponentialMechanismStep
from dpverify.accounting.steps.truncated_poisson import truncated_poisson
from dpverify.core.composition import Composition, Part
from dpverify.definitions.gdp import GDP
from dpverify.utility.one_sided import FEW, FINE, LOOSE, ROUGH, lower_epsilon, thinned, upper_epsilon
from reference_impls.optimizers.adp_sgd import AdpSgd

MANY = Composition(
    parts=tuple(Part(step=PoissonGaussianStep(q=0.01, sigma=1.0 + 0.02 * k), count=9) for k in range(12))
)
COMPOSITIONS = [
    Composition.repeat(PoissonGaussianStep(q=0.02, sigma=1.1), 300),
    Composition.repeat(PoissonGaussianReplaceStep(q=0.02, sigma=1.5), 300),
    Composition.repeat(FixedSizeGaussianStep(q=0.02, sigma=3.0), 300),
    Composition.repeat(PoissonGaussianStep(q=1e-4, sigma=0.6), 1000),  # rare large losses
    Composition.repeat(LaplaceStep(scale=20.0), 30),
    MANY,
]


@functools.cache
def both_ends(composition: Composition) -> ComposedLosses:
    return compose(composition, width=0.02)


@pytest.mark.parametrize("composition", COMPOSITIONS, ids=lambda one: one.parts[0].step.kind)
@pytest.mark.parametrize("delta", [1e-4, 1e-8])
def test_ends_lie_on_their_sides_of_the_bracket(composition: Composition, delta: float) -> None:
    bracket = both_ends(composition).epsilon(delta)
    upper, lower = upper_epsilon(composition, delta), lower_epsilon(composition, delta)
    assert lower <= bracket.upper
    sharp = 5 * FINE if bracket.width < 0.5 else ROUGH  # two percent where the bracket stays wide
    assert bracket.lower <= upper <= bracket.upper * (1 + sharp)


def test_what_is_known_from_above_alone_has_no_lower_end() -> None:
    step = truncated_poisson(records=100, q=0.1, most=20, step=GaussianStep(sigma=1.0))
    assert lower_epsilon(Composition.repeat(step, 3), 1e-5) == 0.0


def test_a_loss_between_two_counts_as_the_lower_one() -> None:
    """A selection between two: known scores cost half of epsilon, the bound is all of it."""
    selection = Composition.of(ExponentialMechanismStep(epsilon=1.0))
    assert 0.45 < lower_epsilon(selection, 1e-5) <= 0.5
    assert upper_epsilon(selection, 1e-5) > 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """The same step with its directions exchanged: the second one costs more."""

    step: PoissonGaussianStep
    relation = "add-remove"

    def text(self) -> str:
        return "turned"

    def losses(self) -> tuple[Losses, ...]:
        return directions(self.step)[::-1]


def test_the_second_direction_counts_where_it_costs_more() -> None:
    step = PoissonGaussianStep(q=0.005, sigma=0.8)
    plain, turned = (Composition.repeat(one, 300) for one in (step, Turned(step=step)))
    assert upper_epsilon(turned, 1e-5) == pytest.approx(upper_epsilon(plain, 1e-5), rel=1e-9)
    only = compose(plain).epsilon(1e-5)
    assert only.lower <= upper_epsilon(turned, 1e-5)


@pytest.mark.parametrize("delta", [1e-3, 1e-7])
def test_gaussian_steps_have_exact_ends(delta: float) -> None:
    composition = Composition.of(GaussianStep(sigma=4.0), GaussianStep(sigma=5.0), GaussianStep(sigma=3.0))
    gaussian = GDP(mu=sum(1 / s**2 for s in (4.0, 5.0, 3.0)) ** 0.5)
    upper, lower = upper_epsilon(composition, delta), lower_epsilon(composition, delta)
    assert gaussian.delta(upper) <= delta <= gaussian.delta(lower)
    assert gaussian.delta(upper * (1 - 5 * FINE)) > delta > gaussian.delta(lower * (1 + 2 * LOOSE) + 1e-3)


def test_few_steps_stand_for_many() -> None:
    few = thinned(MANY)
    assert len(few.parts) == FEW
    assert few.size == MANY.size
    assert upper_epsilon(few, 1e-5) == pytest.approx(upper_epsilon(MANY, 1e-5), rel=0.05)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_a_schedule_of_noise_is_calibrated_in_seconds(relation: str) -> None:
    """One record a step of 20,000, 11,700 steps: rare large losses at 32 noise scales."""
    found = AdpSgd().calibrated(epsilon=1.0, delta=1e-6, relation=relation, rows=20_000)
    assert 0.99 <= found.epsilon <= 1.0
    assert found.accountant == "pld"
