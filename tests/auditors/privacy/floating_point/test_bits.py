"""Bits of doubles: against exact rational arithmetic, on every kind of double."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.privacy.floating_point.bits import HIGHEST, LOWEST, binade, binade_text, bits, floats, last_bit, packed

finite = st.floats(allow_nan=False, allow_infinity=False)
SPECIAL = [5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0, -1.0, 0.1, 3.0, 2.0**-1022, 2.0**1023]


@given(finite.filter(bool))
def test_the_value_is_an_odd_integer_times_two_to_the_last_bit(value):
    odd = Fraction(value) / Fraction(2) ** int(last_bit(value))
    assert odd.denominator == 1
    assert odd.numerator % 2 == 1


@given(finite.filter(bool))
def test_the_binade_holds_the_value(value):
    power, negative = divmod(int(binade(value)), 2)
    assert Fraction(2) ** power <= abs(Fraction(value)) < Fraction(2) ** (power + 1)
    assert negative == (value < 0)


@pytest.mark.parametrize("value", SPECIAL)
def test_special_doubles(value):
    assert LOWEST < int(last_bit(value)) < HIGHEST
    assert (Fraction(value) / Fraction(2) ** int(last_bit(value))).numerator % 2 == 1


def test_zeros_have_a_place_of_their_own_and_two_signs():
    assert last_bit([0.0, -0.0]).tolist() == [HIGHEST, HIGHEST]
    assert binade([0.0, -0.0]).tolist() == [2 * LOWEST, 2 * LOWEST + 1]
    assert [binade_text(int(code)) for code in binade([0.0, -0.0, 0.3, -5.0])] == [
        "+0",
        "-0",
        "+[2^-2, 2^-1)",
        "-[2^2, 2^3)",
    ]


@given(st.lists(st.tuples(finite, finite, finite, finite), min_size=2, max_size=8))
def test_packing_loses_nothing(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    parts = [binade(columns[0]), binade(columns[1]), binade(columns[2]), last_bit(columns[3])]
    code = packed(*parts)
    for i in range(len(rows)):
        for j in range(len(rows)):
            assert (code[i] == code[j]) == all(part[i] == part[j] for part in parts)


def test_packing_keeps_the_order_of_rows_and_does_not_overflow():
    low, high = 2 * LOWEST, 2 * HIGHEST + 1
    ordered = packed(np.array([0, 0, 1, 1]), np.array([low, high, low, high]))
    assert (np.diff(ordered) > 0).all()
    five = packed(*[np.array([low, high])] * 5)
    assert five[0] == 0 < five[1]


@given(finite)
def test_bits_are_those_of_the_significand(value):
    found = bits(np.array([value]))[0]
    scaled = value.hex().split("p")[0].split(".")
    digits = int(scaled[1], 16) if len(scaled) == 2 else 0
    assert sum(int(bit) << place for place, bit in enumerate(found)) == digits


def test_coordinates_of_any_output_are_doubles():
    assert floats(np.arange(3, dtype=np.int8), 0).dtype == np.float64
    assert floats(np.arange(6, dtype=np.float32).reshape(3, 2), 1).tolist() == [1, 3, 5]
