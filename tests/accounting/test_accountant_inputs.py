from __future__ import annotations

import math
from fractions import Fraction

import flint
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpverify.accounting.accountant_inputs import (
    LEAST,
    ROUNDING,
    corner_delta,
    corner_epsilon,
    pure_total,
    rounded_up,
    step_bound,
    weighted_sum,
    without_bound,
)
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import ApproxStep
from dpverify.core.composition import Composition
from dpverify.laws.balls import working_precision

fractions = st.fractions(min_value=0, max_value=10**6)


def test_known_values():
    assert rounded_up(Fraction(0)) == 0
    assert rounded_up(Fraction(1, 4)) == 0.25
    assert rounded_up(Fraction(1, 10)) == 0.1  # the double lies above a tenth
    assert rounded_up(Fraction(3, 10)) == math.nextafter(0.3, 1)  # the double lies below three tenths
    assert rounded_up(Fraction(1, 10**400)) == LEAST
    assert rounded_up(Fraction(10**400)) == math.inf


@given(fractions)
def test_rounding_up_gives_the_least_double_that_is_not_below(number):
    value = rounded_up(number)
    assert Fraction(value) >= number
    assert value == 0 or Fraction(math.nextafter(value, -1)) < number


@given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 10**6)), max_size=6), st.randoms())
def test_sums_are_exact_and_do_not_depend_on_the_order(terms, random):
    exact = sum((Fraction(value) * count for value, count in terms), Fraction(0))
    shuffled = random.sample(terms, len(terms))
    assert weighted_sum(terms) == weighted_sum(shuffled) == rounded_up(exact)


def test_infinite_terms_count_only_when_they_occur():
    assert weighted_sum([(math.inf, 0), (1.0, 2)]) == 2
    assert weighted_sum([(math.inf, 1)]) == math.inf


def test_what_a_step_gives():
    assert step_bound(LaplaceStep(scale=2)) == (0.5, 0.0)
    assert step_bound(ApproxStep(epsilon=0.5, delta=1e-6)) == (0.5, 1e-6)
    assert step_bound(GaussianStep(sigma=1)) is None


def test_the_step_without_a_bound_is_named():
    composition = Composition.of(LaplaceStep(scale=2), GaussianStep(sigma=1))
    assert without_bound(composition) == "gaussian(sigma=1, sensitivity=1) has no single (epsilon, delta) or pure bound"
    assert without_bound(Composition.of(LaplaceStep(scale=2))) is None


def test_the_pure_total():
    pure = Composition.repeat(LaplaceStep(scale=2), 3)
    assert pure_total(pure) == 1.5
    assert pure_total(Composition()) == 0
    assert pure_total(pure.then(Composition.of(ApproxStep(epsilon=0.5, delta=0)))) == 2
    for open_end in (ApproxStep(epsilon=0.5, delta=1e-9), DiscreteStep(p=(1, 0), q=(0, 1)), GaussianStep(sigma=1)):
        assert pure_total(pure.then(Composition.of(open_end))) == math.inf


epsilons = st.floats(0, 30)
deltas = st.floats(0, 0.9)


@given(epsilons, deltas, epsilons)
def test_the_profile_is_that_of_the_dominating_pair(claimed, least, epsilon):
    exact = ApproxStep(epsilon=claimed, delta=least).laws()[0].delta(epsilon)
    found = corner_delta((claimed, least), epsilon)
    assert found >= exact.lower - 1e-300
    assert found <= exact.upper + 4 * ROUNDING


@given(epsilons, deltas, st.floats(0, 0.999))
def test_epsilon_inverts_the_profile_from_above(claimed, least, delta):
    epsilon = corner_epsilon((claimed, least), delta)
    if delta < least:
        assert epsilon == math.inf
        return
    assert corner_delta((claimed, least), epsilon) <= delta + 1e-13
    assume(epsilon > 1e-6)
    assert corner_delta((claimed, least), epsilon * (1 - 1e-9) - 1e-9) >= delta - 1e-13


@given(epsilons, deltas, st.floats(0, 0.999))
def test_epsilon_is_never_below_the_exact_one(claimed, least, delta):
    exact = ApproxStep(epsilon=claimed, delta=least).laws()[0].delta(corner_epsilon((claimed, least), delta))
    assert delta < least or exact.lower <= delta


near_one = st.floats(0, 1) | st.floats(1e-13, 1e-3).map(lambda gap: 1 - gap)


@given(st.floats(0.01, 30), deltas, st.floats(0, 1), near_one)
def test_no_result_is_below_its_formula_in_balls(claimed, least, near, beyond):
    epsilon, delta = near * claimed, least + beyond * (1 - least) * math.tanh(claimed / 2)
    assume(least < delta < 1)
    with working_precision():
        top, rest = flint.arb(claimed).exp(), 1 - flint.arb(least)
        profile = least + rest * (top - flint.arb(epsilon).exp()) / (1 + top)
        assert flint.arb(corner_delta((claimed, least), epsilon)) >= (least if epsilon >= claimed else profile.lower())
        power = top - (flint.arb(delta) - least) / rest * (1 + top)
        assert power <= 1 or flint.arb(corner_epsilon((claimed, least), delta)) >= power.log().lower()


def test_the_corner_itself_is_exact():
    assert corner_epsilon((1.0, 1e-6), 1e-6) == 1.0
    assert corner_delta((1.0, 1e-6), 1.0) == 1e-6
    assert corner_epsilon((0.0, 0.0), 0.0) == corner_delta((0.0, 0.0), 0.0) == 0
    assert corner_epsilon((2.0, 0.0), 0.999) == 0


@pytest.mark.parametrize("corner", [(math.inf, 0.0), (1.0, 1.5), (1.0, 1.0)])
def test_a_corner_that_says_nothing(corner):
    assert corner_delta(corner, 0.5) == 1
    assert corner_epsilon(corner, 0.5) == math.inf
