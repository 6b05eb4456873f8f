from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpverify.accounting.corner import ROUNDING, corner_delta, corner_epsilon
from dpverify.accounting.steps.approx import ApproxStep

epsilons = st.floats(0, 30)
deltas = st.floats(0, 0.9)


@given(epsilons, deltas, epsilons)
@settings(max_examples=100, deadline=None)
def test_the_profile_is_that_of_the_dominating_pair(claimed, least, epsilon):
    exact = ApproxStep(epsilon=claimed, delta=least).laws()[0].delta(epsilon)
    found = corner_delta((claimed, least), epsilon)
    assert found >= exact.lower - 1e-300
    assert found <= exact.upper + 4 * ROUNDING


@given(epsilons, deltas, st.floats(0, 0.999))
@settings(max_examples=200, deadline=None)
def test_epsilon_inverts_the_profile_from_above(claimed, least, delta):
    epsilon = corner_epsilon((claimed, least), delta)
    if delta < least:
        assert epsilon == math.inf
        return
    assert corner_delta((claimed, least), epsilon) <= delta + 1e-13
    assume(epsilon > 1e-6)
    assert corner_delta((claimed, least), epsilon * (1 - 1e-9) - 1e-9) >= delta - 1e-13


@given(epsilons, deltas, st.floats(0, 0.999))
@settings(max_examples=100, deadline=None)
def test_epsilon_is_never_below_the_exact_one(claimed, least, delta):
    exact = ApproxStep(epsilon=claimed, delta=least).laws()[0].delta(corner_epsilon((claimed, least), delta))
    assert delta < least or exact.lower <= delta


def test_the_corner_itself_is_exact():
    assert corner_epsilon((1.0, 1e-6), 1e-6) == 1.0
    assert corner_delta((1.0, 1e-6), 1.0) == 1e-6
    assert corner_epsilon((0.0, 0.0), 0.0) == corner_delta((0.0, 0.0), 0.0) == 0
    assert corner_epsilon((2.0, 0.0), 0.999) == 0


@pytest.mark.parametrize("corner", [(math.inf, 0.0), (1.0, 1.5), (1.0, 1.0)])
def test_a_corner_that_says_nothing(corner):
    assert corner_delta(corner, 0.5) == 1
    assert corner_epsilon(corner, 0.5) == math.inf
