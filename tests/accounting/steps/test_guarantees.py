from __future__ import annotations

import math
from itertools import pairwise

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.steps.guarantees import (
    TIGHT_ERROR,
    ApproxStep,
    NoOpStep,
    PureStep,
    RandomisedResponseStep,
    printed_curve,
    tight_curve,
)
from dpverify.core.errors import InputError
from dpverify.laws.balls import at_working_precision
from dpverify.laws.discrete import DiscreteLaw

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


ROUNDING = 1e-13
epsilons = st.floats(1e-9, 500)
excesses = st.floats(1e-7, 1e6)  # order - 1


@at_working_precision
def by_balls(epsilon: float, order: float, size: int) -> float:
    """The definition: log of the sum of p^alpha q^(1 - alpha), over alpha - 1."""
    e, alpha = flint.arb(epsilon), flint.arb(order)
    total = ((alpha * e).exp() + ((1 - alpha) * e).exp() + (size - 2)) / (e.exp() + (size - 1))
    return float((total.log() / (alpha - 1)).mid())


@given(epsilons, excesses, st.integers(2, 50))
def test_the_tight_curve_is_the_definition(epsilon, excess, size):
    order = 1 + excess
    value = float(tight_curve(epsilon, [order], size=size)[0])
    assert value == pytest.approx(by_balls(epsilon, order, size), rel=TIGHT_ERROR)


@pytest.mark.parametrize("size", [2, 3, 10])
@pytest.mark.parametrize("order", [1.001, 1.5, 2.0, 37.0])
def test_the_tight_curve_is_that_of_the_laws(size, order):
    weights = [1.3, *(0.0,) * (size - 1)]
    truth = DiscreteLaw.from_log_weights(weights)
    other = DiscreteLaw.from_log_weights([weights[1], weights[0], *weights[2:]])
    for pair in (truth.against(other), other.against(truth)):
        found = pair.renyi(order)
        assert abs(float(tight_curve(1.3, [order], size=size)[0]) - found.value) <= found.error + ROUNDING


@given(epsilons, excesses)
def test_tight_is_never_above_the_print_nor_above_the_pure_bound(epsilon, excess):
    """BLSGD Lemma 2, and D_alpha <= D_infinity."""
    tight = float(tight_curve(epsilon, [1 + excess])[0])
    assert 0 < tight <= epsilon
    assert tight <= float(printed_curve(epsilon, [1 + excess])[0]) * (1 + ROUNDING)


@given(st.lists(st.integers(1, 20), min_size=4, max_size=4), st.floats(1.01, 60))
def test_no_pure_pair_exceeds_the_tight_curve(weights, order):
    """Any law and a shuffled one, at their own pure epsilon."""
    p = np.array(weights) / sum(weights)
    pair = DiscreteLaw.from_probabilities(p).against(DiscreteLaw.from_probabilities(p[[1, 3, 0, 2]]))
    epsilon = max(pair.epsilon(0).upper, pair.swap().epsilon(0).upper)
    assert pair.renyi(order).lower <= float(tight_curve(epsilon, [order])[0]) * (1 + ROUNDING)


def test_the_print_is_close_for_small_epsilon_and_small_orders():
    assert float(tight_curve(1e-4, [1.5])[0]) == pytest.approx(1.5e-8 / 2, rel=1e-7)


def test_more_values_cost_less():
    curves = [tight_curve(2.0, [1.1, 2, 64], size=size) for size in (2, 3, 10, 1000)]
    assert all(np.all(after < before) for before, after in pairwise(curves))


def test_extremes():
    assert np.array_equal(tight_curve(0.0, [1.5, 1e6]), [0, 0])
    assert np.all(tight_curve(1000.0, [1.5, 2, 1e6]) <= 1000)
    assert float(tight_curve(1e-200, [2.0])[0]) > 0  # the square underflows, the bound does not
    with pytest.raises(InputError):
        tight_curve(1.0, [1.0])


@given(st.floats(0, 100), st.floats(0, 0.999))
def test_the_laws_attain_the_guarantee_and_no_more(epsilon, delta):
    step = ApproxStep(epsilon=epsilon, delta=delta)
    (pair,) = step.laws()
    for direction in (pair, pair.swap()):
        found = direction.delta(epsilon)
        assert found.lower <= delta <= found.upper
        assert (
            epsilon == 0
            or direction.delta(epsilon * 0.99).lower > delta
            or epsilon < 1e-9
            or delta > 0.99
            or epsilon > 30
        )


def test_the_laws_by_hand():
    (pair,) = ApproxStep(epsilon=math.log(3), delta=0.2).laws()
    assert pair.delta(0.0).value == pytest.approx(0.2 + 0.8 * 0.5, rel=1e-14)
    assert pair.delta(math.inf).value == pytest.approx(0.2, rel=1e-14)


@pytest.mark.parametrize("numbers", [(-1, 0.1), (math.inf, 0.1), (1, -0.1), (1, 1), (1, math.nan)])
def test_bad_numbers_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        ApproxStep(epsilon=numbers[0], delta=numbers[1])
