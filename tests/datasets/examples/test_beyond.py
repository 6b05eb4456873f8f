"""Values that an example does not show: outside of its kind, and only such as its container holds."""

from __future__ import annotations

import math

import pytest

from dpverify.datasets.examples.beyond import values_beyond
from dpverify.datasets.examples.value_kinds import Choice, FloatRange, IntRange, OrMissing, Text


def all_fit(values):
    return list(values)


def in_int8(values):
    return [value for value in values if -128 <= value <= 127]


UNIT, FEW = FloatRange(low=0.0, high=1.0), IntRange(low=3, high=100)


@pytest.mark.parametrize("kind", [UNIT, FEW, Choice(values=(0, 1)), Choice(values=(0.0, 1.0)), Choice(values=("f",))])
def test_they_lie_outside_and_are_different(kind):
    values = values_beyond(kind, all_fit)
    assert values
    assert not any(kind.holds(value) for value in values)
    assert len(set(map(repr, values))) == len(values)


def test_floats_have_nan_infinities_and_large_values():
    values = values_beyond(UNIT, all_fit)
    assert values[0] >= 1e6
    assert math.isnan(values[1])
    assert {math.inf, -math.inf, -values[0]} <= set(values)


def test_the_ends_of_integer_types_are_those_that_the_container_holds():
    assert values_beyond(FEW, in_int8) == (127, 101, 2, -128)  # 101 and 2 lie beside the range
    python = values_beyond(FEW, all_fit)
    assert {127, -128, 255, 32_767, -32_768, 2**63 - 1, -(2**63)} <= set(python)
    assert 2**31 - 1 not in python  # a table of so many counts takes a machine's memory
    narrow = values_beyond(FEW, lambda values: [value for value in values if -(2**31) <= value < 2**31])
    assert {2**31 - 1, -(2**31)} <= set(narrow)


def test_what_is_missing_in_the_example_is_not_outside():
    values = values_beyond(OrMissing(kind=UNIT, missing=math.nan), all_fit)
    assert values
    assert not any(math.isnan(value) for value in values)


@pytest.mark.parametrize("kind", [Text(), Choice(values=(False, True))])
def test_types_without_other_values_have_none(kind):
    assert values_beyond(kind, all_fit) == ()
