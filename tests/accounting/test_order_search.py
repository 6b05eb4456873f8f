from __future__ import annotations

import math

import flint
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from dpverify.accounting.order_search import (
    COARSE,
    FARTHEST,
    NEAREST,
    classic_epsilon,
    classic_log_delta,
    least,
    least_whole,
    real_orders,
    tight_epsilon,
    tight_log_delta,
    total_variation,
    whole_orders,
)
from dpverify.core.errors import InputError
from dpverify.laws.balls import working_precision
from dpverify.laws.discrete import DiscreteLaw


def counted(function):
    def objective(orders):
        objective.orders += orders.size
        return np.array([function(float(order)) for order in orders])

    objective.orders = 0
    return objective


@given(st.floats(-15, 35))
def test_a_parabola_in_the_logarithm_is_found_wherever_it_lies(place):
    objective = counted(lambda order: 1 + (math.log2(order - 1) - place) ** 2)
    order, value = least(objective)
    assert math.log2(order - 1) == pytest.approx(place, abs=1e-4)
    assert value == pytest.approx(1, abs=1e-8)
    assert objective.orders < 80


@given(st.floats(1e-4, 100), st.floats(1e-12, 0.5))
def test_proposition_1_of_a_gaussian_has_its_closed_form(rho, delta):
    """min over s of rho (1 + s) + log(1/delta) / s = rho + 2 sqrt(rho log(1/delta))."""
    _, value = least(lambda orders: rho * orders - math.log(delta) / (orders - 1))
    assert value == pytest.approx(rho + 2 * math.sqrt(-rho * math.log(delta)), rel=1e-9)


def test_an_objective_that_falls_for_ever_ends_at_the_last_order():
    assert least(lambda orders: 1 / orders)[0] == pytest.approx(1 + 2.0**FARTHEST, rel=1e-6)
    assert least(lambda orders: orders)[0] == pytest.approx(1 + 2.0**NEAREST)


def test_infinite_stretches_are_kept_out_of():
    order, _ = least(lambda orders: np.where(orders > 10.3, math.inf, -orders))
    assert order == pytest.approx(10.3, rel=1e-4)
    order, value = least(lambda orders: np.full(orders.shape, math.inf))
    assert math.isnan(order) and value == math.inf


@pytest.mark.parametrize("best", [2, 3, 7, 100, 500])
def test_a_curve_of_whole_orders_is_searched_over_whole_orders(best):
    order, value = least(lambda orders: np.where(orders % 1 == 0, (orders - best) ** 2, math.inf))
    assert (order, value) == (best, 0)


@given(st.integers(2, 256), st.integers(2, 300), st.floats(0.1, 3))
def test_the_best_whole_order_is_that_of_the_whole_list(best, last, slope):
    def function(order):
        return slope * (order - best) if order > best else (best - order)

    objective = counted(function)
    order, value = least_whole(objective, 2, last)
    listed = min(range(2, last + 1), key=lambda order: (function(order), order))
    assert (order, value) == (listed, function(listed))
    assert objective.orders <= 40


def test_a_single_whole_order():
    assert least_whole(lambda orders: orders, 2, 2) == (2.0, 2.0)
    assert math.isnan(least_whole(lambda orders: orders + math.inf, 2, 9)[0])


def test_the_coarse_orders_include_the_usual_ones():
    assert {2.0, 3.0, 5.0, 513.0} <= set(COARSE.tolist())
    assert np.all(COARSE > 1)


def test_orders_come_back_as_an_array():
    assert np.array_equal(real_orders(2), [2.0])
    assert np.array_equal(real_orders([1.5, 1e6]), [1.5, 1e6])
    assert np.array_equal(whole_orders([2, 3.0, 256], lemma="Lemma 4"), [2.0, 3.0, 256.0])


@pytest.mark.parametrize("order", [1.0, 0.5, -2.0, math.inf, math.nan])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(InputError, match=str(order)):
        real_orders([2.0, order])


@pytest.mark.parametrize("order", [1.5, 2.5, 2.0000001])
def test_a_lemma_for_whole_orders_names_itself(order):
    with pytest.raises(InputError, match=r"Lemma 4.*whole orders >= 2"):
        whole_orders([2.0, order], lemma="Lemma 4")


def test_the_least_order_of_a_lemma_holds():
    with pytest.raises(InputError, match="whole orders >= 3"):
        whole_orders([2.0], lemma="a lemma", least=3)


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
