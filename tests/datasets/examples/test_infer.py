"""What is read off an example never goes beyond it: its range holds its records, and made-up records lie inside."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.examples.container import container_of
from dpverify.datasets.examples.infer import record_kind_of


def kind(data):
    return record_kind_of(container_of(data))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([0.25, 1.0, 0.5], "float(0.25, 1)"),
        ([3, 9, 5], "int(3, 9)"),
        ([1, -1, 1], "choice(-1, 1)"),  # 0 may be no label at all
        ([True, False], "bool"),
        (["f", "m", "f"], "choice('f', 'm')"),
        (["Ann", "Bob"], "text"),  # names: each comes once
        ([1.5, None, 2.5], "missing(float(1.5, 2.5))"),
        ([float("nan"), 2.5, 3.5], "missing(float(2.5, 3.5))"),
        ([(1, "a"), (2, "a"), (7, "b")], "(int(1, 7), choice('a', 'b'))"),
        (
            [{"age": 3, "u": "x"}, {"age": 9, "u": "x"}, {"age": 5, "u": "y"}],
            "{'age': int(3, 9), 'u': choice('x', 'y')}",
        ),
        (np.array([[3.0, 4.0], [0.0, 1.0]]), "norm(5, (float(0, 3), float(1, 4)))"),
        (np.array([[1, 2], [3, 4]]), "(int(1, 3), int(2, 4))"),
    ],
)
def test_kinds_and_ranges_are_the_examples_own(data, text):
    assert kind(data).text() == text


def test_dates_are_a_choice_of_the_first_and_the_last():
    days = [datetime.date(2020, 1, day) for day in (3, 1, 2)]
    assert kind(days).plain() == (days[0], days[1])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.lists(st.floats(0, 1), min_size=1, max_size=1))
def test_records_lie_inside_the_range(values, point):
    found = kind(values)
    low, high = min(values), max(values)
    assert all(low <= record <= high for record in (*found.plain(), found.at(np.array(point))))
    assert all(found.holds(value) for value in values)


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(st.floats(-10, 10), min_size=width, max_size=width), min_size=1, max_size=5)
    ),
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
)
def test_rows_of_an_array_keep_within_its_largest_norm(rows, point):
    data = np.array(rows)
    found = kind(data)
    assume(found.text().startswith("norm"))  # columns of a few values are choices, whose rows may be longer
    largest = max(math.hypot(*row) for row in rows)  # numpy.linalg.norm squares, and small squares are 0
    records = [*found.plain(), found.at(np.array(point[: data.shape[1]]))]
    assert all(math.hypot(*record) <= largest * (1 + 1e-12) + 1e-300 for record in records)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "data without a record"),
        ([None, None], "all values are missing"),
        ([1.0, math.inf], "an infinite value"),
        ([1, "a"], "values of the types int, str"),
        ([object(), object()], "values of the types object"),
    ],
)
def test_what_cannot_be_inferred_is_one_line_with_the_remedy(data, said):
    with pytest.raises(InputError) as caught:
        kind(data)
    assert said in str(caught.value)
    assert "--record" in str(caught.value)


@pytest.mark.parametrize("data", [{1: [0.5, 1.0], "1": [0.5, 1.0]}, [{1: 0.5, "1": 1.0}]])
def test_fields_of_one_name_are_refused(data):
    with pytest.raises(InputError, match="fields 1, 1"):
        kind(data)
