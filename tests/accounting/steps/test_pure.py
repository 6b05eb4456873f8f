from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.steps.no_op import NoOpStep
from dpverify.accounting.steps.pure import PureStep
from dpverify.accounting.steps.randomised_response import RandomisedResponseStep
from dpverify.core.errors import InputError

ORDERS = np.array([1.001, 2.0, 7.5, 64.0])


@pytest.mark.parametrize(
    "step",
    [PureStep(epsilon=0.7), RandomisedResponseStep(epsilon=0.7), RandomisedResponseStep(epsilon=2, size=5)],
    ids=lambda step: step.text(),
)
def test_the_laws_have_the_curve_and_the_pure_bound_both_ways(step):
    (pair,) = step.laws()
    for direction in (pair, pair.swap()):
        assert direction.epsilon(0).value == pytest.approx(step.pure_epsilon(), rel=1e-13)
        exact = [direction.renyi(float(order)).value for order in ORDERS]
        assert step.renyi(ORDERS) == pytest.approx(exact, rel=1e-11)


def test_a_pure_step_costs_what_binary_randomised_response_costs():
    assert np.array_equal(PureStep(epsilon=0.7).renyi(ORDERS), RandomisedResponseStep(epsilon=0.7).renyi(ORDERS))


def test_nothing_costs_nothing():
    step = NoOpStep()
    assert np.array_equal(step.renyi(ORDERS), np.zeros(4))
    assert (step.pure_epsilon(), step.approx(), step.mu()) == (0, (0, 0), 0)
    assert step.laws()[0].delta(0.0).value == 0


@pytest.mark.parametrize("epsilon", [-1, math.inf, math.nan, "1", True])
def test_bad_epsilons_are_refused(epsilon):
    for step in (PureStep, RandomisedResponseStep):
        with pytest.raises(InputError, match="allowed"):
            step(epsilon=epsilon)


@pytest.mark.parametrize("size", [1, 0, 2.5, True, "3", math.inf, math.nan])
def test_bad_sizes_are_refused(size):
    with pytest.raises(InputError, match="a whole number >= 2"):
        RandomisedResponseStep(epsilon=1, size=size)
