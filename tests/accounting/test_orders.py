from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.orders import real_orders, whole_orders
from dpverify.core.errors import InputError


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
