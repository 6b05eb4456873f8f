"""Brent's method as scipy has it, to the bit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from dpverify.core.light_optimize import brentq


@given(st.floats(-5, 0), st.floats(0.01, 6), st.floats(0, 1), st.sampled_from([1, 3, 5]), st.floats(-2, 2))
def test_the_roots_are_scipys_to_the_bit(a, b, share, power, rate):
    root = a + share * (b - a)

    def f(x):
        return (math.exp(rate * x) - math.exp(rate * root)) * (1 if rate > 0 else -1) + power * (x - root) ** power

    try:
        expected = optimize.brentq(f, a, b, xtol=1e-12, rtol=1e-14)
    except (ValueError, RuntimeError) as error:
        with pytest.raises(type(error)):
            brentq(f, a, b, xtol=1e-12, rtol=1e-14)
        return
    assert brentq(f, a, b, xtol=1e-12, rtol=1e-14) == expected


def test_a_function_of_one_sign_is_refused():
    with pytest.raises(ValueError, match="different signs"):
        brentq(lambda x: x * x + 1, -1.0, 1.0, xtol=1e-12, rtol=1e-14)
