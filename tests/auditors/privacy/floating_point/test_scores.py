"""Scores on bits: tables against counting by hand, sums, and weights that find a single bit."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.privacy.floating_point.scores import (
    HIGHEST,
    LOWEST,
    BitWeights,
    LastBits,
    Together,
    binade,
    binade_text,
    bits,
    floats,
    last_bit,
    packed,
    scores,
)
from dpverify.sampling.streams import stream
from tests.auditors.privacy.samples import sample


def test_a_table_is_the_smoothed_log_ratio_of_its_cells():
    left, right = [1.0, 1.0, 1.0, 1.5, -1.0], [1.0, 1.5, 1.5, 0.75]
    table = LastBits.learn((sample(left), sample(right)), 0, (0.0, 1.0), ("at",))
    expected = [math.log((k0 + 0.5) / 6) - math.log((k1 + 0.5) / 5) for k0, k1 in ((3, 1), (1, 2), (1, 0), (0, 1))]
    np.testing.assert_allclose(table(np.array([1.0, 1.5, -1.0, 0.75])), expected)
    assert table(np.array([3.0, 0.0])).tolist() == [0, 0]  # cells that never came


@pytest.mark.parametrize("views", [("at",), ("from d0", "from d1"), ("at", "from d0", "from d1")])
def test_tables_tell_apart_what_their_views_tell_apart_and_nothing_else(views):
    rng = stream(3)
    sides = [sample(rng.normal(size=500)) for _ in (0, 1)]
    centres = (0.0, 0.3)
    table = LastBits.learn((sides[0], sides[1]), 0, centres, views)
    of = {"at": lambda x: x, "from d0": lambda x: x - 0.0, "from d1": lambda x: x - 0.3}
    keys = {}
    for side in (0, 1):
        x = sides[side].values
        rows = zip(*(binade(of[view](x)).tolist() for view in views), last_bit(x).tolist(), strict=True)
        for key in rows:
            keys.setdefault(key, [0, 0])[side] += 1
    assert sorted(keys.values()) == sorted(map(list, table.counts.T.tolist()))


def test_the_text_names_a_cell_of_the_event():
    table = LastBits.learn((sample([0.75] * 9 + [3.0]), sample([3.0] * 10)), 0, (0.0, 1.0), ("at",))
    assert table.text(0.0, above=True).endswith("mostly at +[2^-1, 2^0) and last bit 2^-2")
    assert table.text(0.0, above=False).endswith("mostly at +[2^1, 2^2) and last bit 2^0")
    assert table.plain()["telling"][0] == ["at +[2^-1, 2^0) and last bit 2^-2", 9, 0] or table.plain()["cells"] == 2


def test_tables_of_coordinates_add_up():
    rng = stream(4)
    sides = sample(rng.normal(size=(200, 3))), sample(rng.normal(size=(200, 3)))
    tables = tuple(LastBits.learn(sides, column, (0.0, 0.0), ("at",)) for column in range(3))
    values = rng.normal(size=(50, 3))
    np.testing.assert_allclose(Together(tables=tables)(values), sum(table(values) for table in tables))
    found = scores(sides, [(0.0, 0.0)] * 3, thorough=False)
    assert sum(isinstance(score, Together) for score in found) == 3


def test_weights_find_the_one_bit_that_tells():
    rng = stream(5)
    words = rng.normal(size=(2, 4000)).view(np.uint64)
    marked = (words[0] & ~np.uint64(1 << 17)).view(np.float64)
    weights = BitWeights.learn((sample(marked), sample(words[1].view(np.float64))), 0)
    assert int(np.argmax(np.abs(weights.weights))) == 17
    assert "bit 17" in weights.text(0.0, above=True)
    naive = ((words[1][:, None] >> np.arange(52, dtype=np.uint64)) & np.uint64(1)) @ weights.weights
    np.testing.assert_allclose(weights(words[1].view(np.float64)), naive, atol=1e-9)


def test_outputs_whose_bits_do_not_vary_have_no_weights():
    assert BitWeights.learn((sample([1.0, 2.0]), sample([4.0, 1.0])), 0) is None


def test_sides_with_as_many_of_each_bit_have_weights_next_to_nothing_and_no_warning():
    """Warnings are errors in tests."""
    side = sample([3.0] * 2 + [1.0] * 48)
    found = BitWeights.learn((side, side), 0)
    assert found is not None
    np.testing.assert_allclose(found.weights, 0.0, atol=1e-6)


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
