from __future__ import annotations

import math

import pytest

from dpverify.accounting.accountants.basic import BasicAccountant
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import ApproxStep, PureStep
from dpverify.core.composition import Composition, Part
from dpverify.core.errors import InputError

basic = BasicAccountant()


def test_sums():
    steps = (Part(step=ApproxStep(epsilon=0.25, delta=2**-20), count=4), Part(step=PureStep(epsilon=2)))
    cost = basic.compose(Composition(parts=steps))
    assert cost.epsilon(2**-18).upper == 3
    assert cost.delta(3).upper == 2**-18
    assert cost.epsilon(2**-19).upper == math.inf
    assert "sum to 3.8147e-06" in cost.epsilon(0).note


def test_pure_sums_are_attained_by_randomised_responses():
    """k answers: the largest log-ratio of the product is the sum."""
    cost = basic.compose(Composition.repeat(PureStep(epsilon=0.5), 8))
    assert cost.epsilon(0).upper == 4
    assert cost.delta(4).upper == 0
    assert 0 < cost.delta(3.9).upper < 0.1


def test_a_curve_is_no_bound():
    gaussian = Composition.of(GaussianStep(sigma=1))
    assert basic.refuses(gaussian) is not None
    with pytest.raises(InputError, match="no single"):
        basic.compose(gaussian)


def test_deltas_that_sum_to_more_than_1():
    cost = basic.compose(Composition.repeat(ApproxStep(epsilon=0, delta=0.4), 3))
    assert cost.delta(0).upper == cost.delta(7).upper == 1
    assert cost.epsilon(0.99).upper == math.inf
