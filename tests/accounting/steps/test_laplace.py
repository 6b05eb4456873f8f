from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.steps.gaussian import RENYI_ERROR, LaplaceStep
from dpverify.core.errors import InputError
from dpverify.laws.balls import at_working_precision
from dpverify.laws.density import LaplaceLaw

scales = st.floats(1e-3, 1e9)
excesses = st.floats(1e-7, 1e6)


@at_working_precision
def mironov(d: float, order: float) -> float:
    """Proposition 6 as printed, in balls."""
    d, a = flint.arb(d), flint.arb(order)
    total = a / (2 * a - 1) * ((a - 1) * d).exp() + (a - 1) / (2 * a - 1) * (-a * d).exp()
    return float((total.log() / (a - 1)).mid())


@given(scales, excesses)
def test_the_curve_is_mironovs(scale, excess):
    step = LaplaceStep(scale=scale)
    found = step.renyi(np.array([1 + excess]))[0]
    assert found == pytest.approx(mironov(step.pure_epsilon(), 1 + excess), rel=RENYI_ERROR)


@pytest.mark.parametrize("order", [1.05, 2.0, 16.0, 300.0])
def test_the_curve_by_quadrature(order):
    step = LaplaceStep(scale=1.5, sensitivity=2)
    p, q = (LaplaceLaw(locations=np.array([at]), scales=np.array(1.5)).flat() for at in (2.0, 0.0))
    for pair in (p.against(q), q.against(p)):
        found = pair.renyi(order)
        assert step.renyi(np.array([order]))[0] == pytest.approx(found.value, rel=1e-9)


@given(st.floats(0.01, 5), st.floats(0.01, 5), st.floats(1.01, 100))
def test_several_moved_coordinates_cost_less_than_one_of_the_same_l1_distance(first, second, order):
    spread = LaplaceLaw(locations=np.array([first, second]), scales=np.array(1.0))
    pair = spread.against(LaplaceLaw(locations=np.zeros(2), scales=np.array(1.0)))
    one = LaplaceStep(scale=1, sensitivity=first + second).renyi(np.array([order]))[0]
    assert pair.renyi(order).lower <= one * (1 + 1e-13)


def test_the_pure_bound_is_rounded_up():
    assert Fraction(LaplaceStep(scale=3).pure_epsilon()) >= Fraction(1, 3)
    assert LaplaceStep(scale=4).pure_epsilon() == 0.25
    assert Fraction(LaplaceStep(scale=49, sensitivity=7).pure_epsilon()) >= Fraction(1, 7)


def test_extremes():
    orders = np.array([1 + 1e-9, 2, 1e6])
    assert np.all(LaplaceStep(scale=1e-300).renyi(orders) <= 1e300 * (1 + 1e-15))
    assert np.all(LaplaceStep(scale=1e250).renyi(orders) > 0)
    assert np.array_equal(LaplaceStep(scale=1, sensitivity=0).renyi(orders), np.zeros(3))


@pytest.mark.parametrize(
    "numbers", [{"scale": 0}, {"scale": -2}, {"scale": math.inf}, {"scale": 1, "sensitivity": -1}, {"scale": 5e-324}]
)
def test_bad_numbers_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        LaplaceStep(**numbers)
