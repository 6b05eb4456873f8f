from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.amplification_printed import LARGEST, ROUNDING, poisson_bound, without_replacement_bound
from dpverify.core.errors import InputError

ALIKE = 3 * ROUNDING


def linear(rate):
    return lambda orders: rate * np.asarray(orders)


def letter_by_letter_poisson(q, rate, order):
    """BLSGD Lemma 4 in 80 digits."""
    with localcontext(prec=80, Emax=10**15, Emin=-(10**15)):
        q, rate, stay = Decimal(q), Decimal(rate), 1 - Decimal(q)
        total = _power(stay, order - 1) * (order * q - q + 1)
        total += math.comb(order, 2) * q**2 * _power(stay, order - 2) * (2 * rate).exp()
        for power in range(3, order + 1):
            grown = ((power - 1) * power * rate).exp()
            total += 3 * math.comb(order, power) * q**power * _power(stay, order - power) * grown
        return float(total.ln() / (order - 1))


def letter_by_letter_without_replacement(q, rate, order):
    """DISS Lemma 2.3 in 80 digits."""
    with localcontext(prec=80, Emax=10**15, Emin=-(10**15)):
        q, rate = Decimal(q), Decimal(rate)
        second = (2 * rate).exp()
        total = 1 + q**2 * math.comb(order, 2) * min(4 * (second - 1), 2 * second)
        for power in range(3, order + 1):
            total += q**power * math.comb(order, power) * 2 * ((power - 1) * power * rate).exp()
        return float(total.ln() / (order - 1))


def _power(base, exponent):
    return base**exponent if exponent else Decimal(1)  # 0^0


PRINTS = [
    (poisson_bound, letter_by_letter_poisson),
    (without_replacement_bound, letter_by_letter_without_replacement),
]
prints = pytest.mark.parametrize(("bound", "formula"), PRINTS, ids=["poisson", "without-replacement"])


@prints
@given(q=st.floats(1e-9, 1 - 1e-9), rate=st.floats(1e-8, 5), order=st.integers(2, 60))
def test_the_formula_letter_by_letter(bound, formula, q, rate, order):
    found = bound(q, linear(rate), [float(order)])[0]
    assert found == pytest.approx(formula(q, rate, order), rel=ALIKE, abs=0)


@prints
@pytest.mark.parametrize("order", [2, 3, 17])
def test_no_sampling_and_nobody_sampled(bound, formula, order):
    assert bound(1.0, linear(0.3), [order])[0] == pytest.approx(formula(1.0, 0.3, order), rel=ALIKE)
    assert bound(0.0, linear(0.3), [order]).tolist() == [0.0]
    assert bound(0.0, lambda orders: np.full(np.shape(orders), np.inf), [order]).tolist() == [0.0]


def test_order_two_in_closed_form():
    q, second = Fraction(1, 8), math.exp(0.6)
    found = poisson_bound(float(q), linear(0.3), [2])[0]
    assert found == pytest.approx(math.log(1 - float(q * q) + float(q * q) * second), rel=ALIKE)
    small = without_replacement_bound(0.125, linear(1e-12), [2])[0]
    assert small == pytest.approx(4 * 2e-12 / 64, rel=1e-9)  # the min's first branch, and no cancellation


@prints
def test_overflow_and_infinite_curves(bound, formula):
    found = bound(0.01, linear(50.0), [400.0])[0]
    assert found == pytest.approx(formula(0.01, 50.0, 400), rel=ALIKE)  # e^(8e6) on the way
    infinite = bound(0.01, lambda orders: np.where(orders > 5, np.inf, orders), [4.0, 5.0, 6.0])
    assert np.isfinite(infinite).tolist() == [True, True, False]


@prints
def test_whole_orders_only(bound, formula):
    del formula
    assert bound(0.1, linear(1.0), np.array([[2.0, 3.0], [4.0, 5.0]])).shape == (2, 2)
    for order in (2.5, 1.0, math.nan, 2.0 * LARGEST):
        with pytest.raises(InputError, match="allowed"):
            bound(0.1, linear(1.0), [order])
