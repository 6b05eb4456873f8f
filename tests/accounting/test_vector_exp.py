from __future__ import annotations

import flint
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from dpverify.accounting.vector_exp import ERROR, LEAST, MOST, vector_exp
from dpverify.laws.balls import working_precision


@njit
def over(values, out):
    for i in range(values.size):
        out[i] = vector_exp(values[i])


def exp(values):
    values = np.asarray(values, dtype=np.float64)
    out = np.empty_like(values)
    over(values, out)
    return out


@given(st.floats(LEAST, MOST))
@example(0.0)
@example(LEAST)
@example(MOST)
@example(0.34657359027997264)
def test_within_the_stated_error_of_a_ball(x):
    with working_precision():
        truth = flint.arb(x).exp()
        assert abs(flint.arb(exp([x])[0]) - truth) <= ERROR * truth


def test_lanes_agree_with_the_library():
    values = np.linspace(LEAST, MOST, 100_003)
    np.testing.assert_allclose(exp(values), np.exp(values), rtol=ERROR, atol=0)


def test_far_below_it_stops():
    assert exp([-1e300, -np.inf, LEAST]) == pytest.approx(np.full(3, np.exp(LEAST)), rel=ERROR)
