from __future__ import annotations

import math

import flint
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from dpverify.accounting.conversion import (
    classic_epsilon,
    classic_log_delta,
    tight_epsilon,
    tight_log_delta,
    total_variation,
)
from dpverify.laws.balls import working_precision
from dpverify.laws.discrete import DiscreteLaw

bounds = st.floats(1e-6, 50)
orders = st.floats(1.001, 1000)
deltas = st.floats(1e-15, 0.5)


def one(function, order, bound, argument) -> float:
    return float(function(np.array([order]), np.array([bound]), argument)[0])


@given(orders, bounds, st.floats(0, 60))
def test_the_tight_conversion_is_the_best_of_markov(order, bound, epsilon):
    """Twin: delta = E (1 - e^(epsilon - Z))_+ <= E e^(s Z) max_z (1 - e^(epsilon - z)) e^(-s z), by search."""
    s = order - 1
    top = minimize_scalar(
        lambda z: s * z - math.log(-math.expm1(-z)),
        bounds=(1e-9, 5 / s + 40),
        method="bounded",
        options={"xatol": 1e-9},
    )
    twin = s * (bound - epsilon) - float(top.fun)
    found = one(tight_log_delta, order, bound, epsilon)
    assert found == pytest.approx(twin, abs=1e-7 * (1 + abs(twin) + s * (bound + epsilon)))


@given(orders, bounds, deltas)
def test_both_conversions_invert(order, bound, delta):
    size = 1e-11 * (1 + order) * (bound + 100)
    epsilon = one(tight_epsilon, order, bound, delta)
    assert one(classic_log_delta, order, bound, one(classic_epsilon, order, bound, delta)) == pytest.approx(
        math.log(delta), abs=size
    )
    assume(epsilon > 0)
    assert one(tight_log_delta, order, bound, epsilon) == pytest.approx(math.log(delta), abs=size)


@given(orders, bounds, deltas)
def test_tight_is_below_classic_at_every_order(order, bound, delta):
    assert one(tight_epsilon, order, bound, delta) < one(classic_epsilon, order, bound, delta)
    assert one(tight_log_delta, order, bound, 1.0) < one(classic_log_delta, order, bound, 1.0)


@given(
    st.lists(st.integers(1, 50), min_size=5, max_size=5),
    st.lists(st.integers(1, 50), min_size=5, max_size=5),
    st.floats(1.01, 200),
    deltas,
)
def test_every_order_of_exact_laws_gives_a_bound(p, q, order, delta):
    laws = [DiscreteLaw.from_probabilities(np.array(weights) / sum(weights)) for weights in (p, q)]
    pair = laws[0].against(laws[1])
    bound = pair.renyi(order).upper
    for convert in (tight_epsilon, classic_epsilon):
        assert pair.delta(one(convert, order, bound, delta)).lower <= delta
    for convert in (tight_log_delta, classic_log_delta):
        assert pair.delta(0.3).lower <= math.exp(one(convert, order, bound, 0.3))
    assert pair.delta(0.0).lower <= total_variation(bound)


def test_printed_values():
    """Proposition 1 and Canonne, Kamath, Steinke's formula by hand at order 2: delta = e^(tau - epsilon) / 4."""
    assert one(classic_epsilon, 2.0, 1.0, math.exp(-3)) == pytest.approx(4.0, rel=1e-11)
    assert one(tight_log_delta, 2.0, 1.0, 3.0) == pytest.approx(-2 - math.log(4), rel=1e-11)
    assert one(tight_epsilon, 2.0, 1.0, math.exp(-3)) == pytest.approx(4 - math.log(4), rel=1e-11)


def test_results_err_upwards():
    """Against exact rational arithmetic of the same formulas, where they are exact: order 2, tau 1."""
    assert one(classic_epsilon, 2.0, 1.0, 0.5) > 1 + math.log(2)
    assert one(tight_log_delta, 2.0, 1.0, 1.0) > -math.log(4)


@given(orders, bounds, deltas, st.floats(0, 60))
def test_no_result_is_below_its_formula_in_balls(order, bound, delta, epsilon):
    with working_precision():
        a, tau, d, e = (flint.arb(number) for number in (order, bound, delta, epsilon))
        share, s = (1 - 1 / a).log(), a - 1
        assert flint.arb(one(classic_epsilon, order, bound, delta)) >= tau - d.log() / s
        assert flint.arb(one(classic_log_delta, order, bound, epsilon)) >= s * (tau - e)
        tight = tau + share - (d.log() + a.log()) / s
        assert flint.arb(one(tight_epsilon, order, bound, delta)) >= tight
        assert flint.arb(one(tight_log_delta, order, bound, epsilon)) >= s * (tau - e) + s * share - a.log()


def test_infinite_bounds_stay_infinite():
    for convert in (classic_epsilon, tight_epsilon, classic_log_delta, tight_log_delta):
        assert one(convert, 2.0, math.inf, 0.5) == math.inf
    assert total_variation(math.inf) == 1


def test_total_variation():
    assert total_variation(0.0) == 0
    assert total_variation(5e-324) > 0
    assert total_variation(0.02) == pytest.approx(0.1)  # Pinsker
    assert total_variation(10.0) == pytest.approx(math.sqrt(1 - math.exp(-10)))  # Bretagnolle and Huber
