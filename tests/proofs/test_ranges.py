"""Each rule of ranges, against the operation itself: corners, infinities, NaN, and numbers drawn between the ends."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpverify.proofs import range_rules, ranges
from dpverify.proofs.operations import ELEMENTWISE
from dpverify.proofs.ranges import Range

ARITY = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "minimum", "maximum"), 2),
    **dict.fromkeys(("python_min", "python_max", "less", "less_equal", "equal"), 2),
    **dict.fromkeys(("fmin", "fmax"), 2),
    "where": 3,
    "finite_numbers": 4,
}
CONDITIONS = {"logical_and": 2, "logical_or": 2, "logical_not": 1}

corners = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 2.0**53, -(2.0**53), 1e308, -1e308, 5e-324, math.inf, -math.inf])
ends = corners | st.floats(allow_nan=False)


@st.composite
def ranges_with_values(draw):
    """A range, and a value in it."""
    low, high = (each + 0.0 for each in sorted([draw(ends), draw(ends)]))
    nan = draw(st.booleans())
    inside = [low, high] + ([math.nan] if nan else [])
    value = draw(st.sampled_from(inside) | st.floats(low, high))
    return Range(np.array(low), np.array(high), nan), value


def holds(found: Range, value: float) -> bool:
    """Whether the range allows the value."""
    return found.nan if math.isnan(value) else bool(found.lo <= value <= found.hi)


@pytest.mark.parametrize(
    "name",
    sorted(set(ELEMENTWISE) - set(CONDITIONS) - {"as_int", "as_python_int", "where", "choose", "mod", "floor_divide"}),
)
@given(data=st.data())
def test_a_result_lies_in_the_range_of_its_operation(name, data):
    operands = [data.draw(ranges_with_values()) for _ in range(ARITY.get(name, 1))]
    operation = ELEMENTWISE[name]
    with np.errstate(all="ignore"):
        value = float(operation.compute(*(np.float64(each) for _, each in operands)))
    assert holds(operation.rule(*(each for each, _ in operands)), value)


@given(
    st.integers(-(2**60), 2**60),
    st.integers(-(2**60), 2**60),
    st.integers(1, 2**40),
    st.sampled_from(["mod", "floor_divide"]),
)
def test_whole_numbers_are_divided_within_the_range(first, second, divisor, name):
    low, high = sorted([first, second])
    found = ELEMENTWISE[name].rule(ranges.hull(ranges.of(low), ranges.of(high)), ranges.of(divisor))
    for value in (low, high, (low + high) // 2):
        exact = value % divisor if name == "mod" else value // divisor
        assert int(float(found.lo)) <= exact <= int(float(found.hi))


@pytest.mark.parametrize("name", sorted(CONDITIONS))
@given(data=st.data())
def test_a_condition_is_decided_only_where_it_is_sure(name, data):
    known = [data.draw(st.sampled_from([(0, 0, 0), (1, 1, 1), (0, 1, 0), (0, 1, 1)])) for _ in range(CONDITIONS[name])]
    found = ELEMENTWISE[name].rule(*(Range(np.array(float(low)), np.array(float(high))) for low, high, _ in known))
    value = bool(ELEMENTWISE[name].compute(*(np.bool_(value) for _, _, value in known)))
    assert found.truth in (None, value)


@given(data=st.data(), truth=st.booleans())
def test_a_choice_lies_in_its_range(data, truth):
    (first, a), (second, b) = data.draw(ranges_with_values()), data.draw(ranges_with_values())
    condition = data.draw(st.sampled_from([Range(np.array(0.0), np.array(1.0)), ranges.of(truth)]))
    assert holds(range_rules.where(condition, first, second), a if truth else b)


@given(st.integers(-(2**70), 2**70))
def test_integers_are_held_beyond_what_doubles_are_exact_for(value):
    found = ranges.of(np.array(value, dtype=object))
    assert int(float(found.lo)) <= value <= int(float(found.hi))


@given(data=st.data())
def test_what_lies_in_both_lies_where_they_meet(data):
    first, value = data.draw(ranges_with_values())
    second, _ = data.draw(ranges_with_values())
    if holds(second, value):
        found = ranges.meet(first, second)
        assert found is not None
        assert holds(found, value)


@given(data=st.data())
def test_a_hull_holds_both(data):
    first, value = data.draw(ranges_with_values())
    second, _ = data.draw(ranges_with_values())
    assert holds(ranges.hull(first, second), value)
    assert holds(ranges.hull(second, first), value)


SIZES = st.floats(min_value=0.0, max_value=1e150)


@given(SIZES, SIZES)
@example(1e-200, 1e-200)
@example(5e-324, 1e100)
def test_a_product_and_a_quotient_are_bounds_from_above(a, b):
    assert Fraction(ranges.product(a, b)) >= Fraction(a) * Fraction(b)
    assert (ranges.product(a, b) == 0) == (a == 0 or b == 0)
    if b:
        assert ranges.quotient(a, b) == math.inf or Fraction(ranges.quotient(a, b)) >= Fraction(a) / Fraction(b)


@given(st.lists(SIZES, max_size=5))
@example([1e-200, 1e-200])
@example([1e-162, 3e-162])
def test_a_norm_is_a_bound_from_above(sizes):
    found = ranges.euclidean(np.array(sizes))
    assert Fraction(found) ** 2 >= sum(Fraction(each) ** 2 for each in sizes)
    assert found <= max(math.hypot(*sizes) * (1 + 1e-12), 3 * ranges.TINY)


def test_what_may_be_infinite_times_nothing_is_no_bound():
    assert ranges.product(math.inf, 0.0) == math.inf
    assert ranges.quotient(math.inf, 2.0) == math.inf


@given(st.lists(st.floats(0.0, 1e300), max_size=40), st.integers(1, 2000))
@example([0.9707215254237288], 100_000)
@example([1e300] * 20, 1)
@example([1.7e308, 1.7e308], 1)
def test_a_sum_is_a_bound_from_above_however_many_are_added(sizes, times):
    found = ranges.total([*sizes] * times)
    exact = sum(map(Fraction, sizes)) * times
    assert found == math.inf or exact <= Fraction(found) <= exact * (1 + Fraction(1, 2**52))
    assert found < math.inf or exact > 2**1023


def test_a_sum_that_is_a_double_is_not_moved():
    assert ranges.total([1.0, 2.0, 3.0]) == 6.0 and ranges.total([]) == 0.0
    assert ranges.total([0.1] * 10) == 1.0000000000000002  # ten times the double 0.1 is just above 1
    assert ranges.total([math.inf, 1.0]) == math.inf
