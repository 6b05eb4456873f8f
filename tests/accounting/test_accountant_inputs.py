from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.accountant_inputs import LEAST, rounded_up, weighted_sum

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
