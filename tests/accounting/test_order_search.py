from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.order_search import COARSE, FARTHEST, NEAREST, least, least_whole, real_orders, whole_orders
from dpverify.core.errors import InputError


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
