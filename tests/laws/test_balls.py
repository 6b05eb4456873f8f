from __future__ import annotations

import math
from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.evidence import Enclosed
from dpverify.laws.balls import PRECISION, at_working_precision, enclosed_ball, enclosed_bounds, enclosed_fraction


def contains(found: Enclosed | None, truth: Fraction) -> bool:
    assert found is not None
    assert found.proved
    return Fraction(found.lower) <= truth <= Fraction(found.upper)


def test_an_exact_double_has_error_zero():
    assert enclosed_fraction(Fraction(3, 8)) == Enclosed(value=0.375, proved=True)
    assert enclosed_ball(flint.arb(0.375)) == Enclosed(value=0.375, proved=True)


def test_a_third_is_enclosed_but_not_exactly():
    found = enclosed_fraction(Fraction(1, 3))
    assert 0 < found.error <= 2 * math.ulp(1 / 3)
    assert contains(found, Fraction(1, 3))


@given(st.fractions())
def test_fractions_lie_within_what_readers_compute(number):
    assert contains(enclosed_fraction(number), number)


@given(st.floats(-1e6, 1e6), st.floats(0, 1e3))
def test_the_hull_of_two_balls_contains_its_ends(low, width):
    lower, upper = flint.arb(low), flint.arb(low) + flint.arb(width)
    found = enclosed_bounds(lower, upper)
    assert found is not None
    assert flint.arb(found.lower) <= lower
    assert flint.arb(found.upper) >= upper


def test_what_is_not_finite_proves_nothing():
    assert enclosed_ball(flint.arb.nan()) is None
    assert enclosed_ball(flint.arb.pos_inf()) is None


def test_working_precision_is_set_and_given_back():
    before = flint.ctx.prec
    assert at_working_precision(lambda: flint.ctx.prec)() == PRECISION
    assert flint.ctx.prec == before


def test_a_ball_that_misses_the_truth_is_seen_by_this_test():
    with pytest.raises(AssertionError):
        assert contains(Enclosed(value=0.3333, error=1e-9, proved=True), Fraction(1, 3))
