"""Pairs outside of what an example shows: neighbours, named by column, and none where a domain is stated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.datasets.neighbors.beyond_example import MOST, BeyondExample
from dpverify.gate.neighbours import neighbours_of

PEOPLE = [{"age": 30, "sex": "f"}, {"age": 55, "sex": "m"}, {"age": 18, "sex": "f"}]


def beyond(data, **settings):
    return BeyondExample.of(neighbours_of(data, **settings))


def pairs(found, limit=60):
    return found.candidates(SearchSpace(), limit=limit, rng=np.random.default_rng(0))


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize(
    "data",
    [
        [0.2, 0.9],
        np.array([3, 100], dtype=np.int8),
        np.array([0.5, 1.0], dtype=np.float32),
        np.array([[0.1, 0.2], [0.5, 0.6]]),
        PEOPLE,
        pd.DataFrame({"age": [30, 40], "w": [0.5, 0.7]}),
        (np.ones((3, 2)), np.array([1, -1, 1])),
    ],
    ids=lambda data: type(data).__name__,
)
def test_every_pair_is_of_neighbours_and_lies_outside(data, relation):
    found = beyond(data, relation=relation)
    made = pairs(found)
    assert 2 <= len(made) <= MOST
    for pair in made:
        assert found.check(pair.d0, pair.d1) is None
        assert "a record that is not" in found.outside(pair.d0, pair.d1)
        assert found.has(pair.label)
        assert not found.shows_records(pair.label)
    assert len({pair.label for pair in made}) == len(made)


@pytest.mark.parametrize(
    ("data", "settings"),
    [
        ([0.2, 0.9], {"bounds": (0, 1)}),
        ([0.2, 0.9], {"records": "float(0, 1)"}),
        (PEOPLE, {"records": "{'age': int(0, 120), 'sex': choice('f', 'm')}"}),
        ([True, False], {}),
        (["aa", "bb"], {}),
    ],
)
def test_there_are_none_where_a_domain_is_stated_or_the_type_has_no_others(data, settings):
    assert beyond(data, **settings) is None


def test_bounds_of_a_column_state_that_column_alone():
    assert set(beyond(PEOPLE).values) == {"age", "sex"}
    assert set(beyond(PEOPLE, bounds={"age": (0, 120)}).values) == {"sex"}
    assert set(beyond([{"age": 3, "who": "x"}, {"age": 5, "who": "y"}], unit="who").values) == {"age"}


def test_conditions_name_the_columns():
    found = beyond(PEOPLE)
    told = [found.condition(pair.label) for pair in pairs(found, 3)]
    assert told == [
        "age lies in [18, 55]",
        "sex is one of 'f', 'm'",
        "age lies in [18, 55] and sex is one of 'f', 'm'",
    ]
    single = beyond([0.2, 0.9])
    assert single.condition(pairs(single)[0].label) == "records lie in [0.2, 0.9]"
    rows = beyond(np.array([[0.1, 0.2], [0.5, 0.6]]))
    assert rows.condition(pairs(rows)[0].label) == "column [0] lies in [0.1, 0.5]"
    gaps = beyond([0.1, None, 0.4])
    assert gaps.condition(pairs(gaps)[0].label) == "records lie in [0.1, 0.4] or are missing"


def test_wide_rows_are_tried_all_columns_at_once_first():
    found = beyond(np.arange(80.0).reshape(2, 40))
    assert sum(value == 1e6 for value in pairs(found)[0].d0[-1]) == len(found.values)
