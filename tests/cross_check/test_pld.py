"""The house's brackets against dp-accounting's, which share nothing with them from the discretisation on."""

from __future__ import annotations

import math

import pytest

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.loss_sources import GaussianMixtureLoss, HasLosses
from dpverify.accounting.privacy_loss import ReversedLoss
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import ApproxStep, NoOpStep, RandomisedResponseStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from tests.accounting.pld_adapter import composed, why_not

ROUNDING = 1e-11  # of dp-accounting, in delta: it states none
GRID = 1 << 17  # points of ours: enough here, where atoms would have us take sixteen million
INTERVAL = 2e-4  # of theirs: the lower end loses half of it a step
WIDER = {"mixture": 4e-3, "poisson once, coarse": 1e-3}  # these have few steps, and cells that are slow to compute

repeat = Composition.repeat


class Mixture:
    """sum w_i N(s_i, 1) against N(0, 1), both ways."""

    relation = "add-remove"

    def text(self):
        return "mixture()"

    def losses(self):
        import numpy as np

        loss = GaussianMixtureLoss(weights=np.array([0.9, 0.07, 0.03]), shifts=np.array([0.0, 0.5, 1.5]))
        return (loss,), (ReversedLoss(base=loss),)


CASES = {
    "gaussian": repeat(GaussianStep(sigma=5.0), 40),
    "laplace": repeat(LaplaceStep(scale=4.0), 30),
    "poisson": repeat(PoissonGaussianStep(q=0.02, sigma=0.9), 300),
    "poisson once, coarse": repeat(PoissonGaussianStep(q=0.3, sigma=0.5), 2),
    "response": repeat(RandomisedResponseStep(epsilon=0.3, size=3), 40),
    "approx": repeat(ApproxStep(epsilon=0.2, delta=1e-7), 20),
    "discrete, both ways": repeat(DiscreteStep(p=(0.2, 0.3, 0.5), q=(0.1, 0.5, 0.4)), 15),
    "different steps": repeat(PoissonGaussianStep(q=0.02, sigma=0.9), 100).then(
        Composition.of(GaussianStep(sigma=4.0), NoOpStep(), LaplaceStep(scale=6.0))
    ),
    "mixture": repeat(Mixture(), 12),
}


@pytest.mark.parametrize("name", CASES)
def test_brackets_meet(name):
    steps = CASES[name]
    assert all(why_not(part.step) is None for part in steps)
    ours = compose(steps, largest_grid=GRID)
    up, down = (composed(steps, interval=WIDER.get(name, INTERVAL), pessimistic=way) for way in (True, False))
    for epsilon in (0.0, 0.5, 2.0):
        bracket = ours.delta(epsilon)
        assert bracket.lower <= up.get_delta_for_epsilon(epsilon) + ROUNDING
        assert down.get_delta_for_epsilon(epsilon) - ROUNDING <= bracket.upper
    for delta in (1e-5, 1e-2):
        bracket = ours.epsilon(delta)
        assert bracket.lower <= up.get_epsilon_for_delta(delta - ROUNDING)
        assert down.get_epsilon_for_delta(delta + ROUNDING) <= bracket.upper
        # Both upper ends connect the dots: they differ by what either grid costs.
        assert bracket.upper == pytest.approx(up.get_epsilon_for_delta(delta), rel=0.01, abs=1e-3)


def test_a_mixture_with_one_shift_is_a_poisson_sample():
    import numpy as np

    class One(Mixture):
        def losses(self):
            loss = GaussianMixtureLoss(weights=np.array([0.95, 0.05]), shifts=np.array([0.0, 1.0]))
            return (loss,), (ReversedLoss(base=loss),)

    assert isinstance(One(), HasLosses)
    mixture, sample = compose(repeat(One(), 20)), compose(repeat(PoissonGaussianStep(q=0.05, sigma=1.0), 20))
    for delta in (1e-3, 1e-8):
        first, second = mixture.epsilon(delta), sample.epsilon(delta)
        assert first.upper == pytest.approx(second.upper, rel=1e-7)
        assert first.lower == pytest.approx(second.lower, rel=1e-7)
    assert math.isinf(mixture.epsilon(0.0).upper)
