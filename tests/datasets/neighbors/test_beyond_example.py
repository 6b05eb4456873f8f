"""Pairs outside of what an example shows: neighbours, named by column, and none where a domain is stated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.datasets.neighbors.beyond_example import MOST, BeyondExample
from dpverify.neighbourhood.neighbours import neighbours_of

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


def heads(data, limit=60):
    found = beyond(data)
    return [found.headline(pair.label) for pair in pairs(found, limit)]


def test_the_headline_names_the_column_and_what_mends_it():
    assert heads(PEOPLE)[:2] == [
        "false unless age lies in [18, 55]: clip, or state --bounds (it falls at 1000000)",
        "false unless sex is one of 'f', 'm': map the others to these, or state --record (it falls at 'unseen')",
    ]
    assert heads([0.2, 0.9])[0].startswith("false unless records lie in [0.2, 0.9]: clip")
    assert heads([0.0, 1.0, 1.0, 0.0])[0].startswith("false unless records lie in [0, 1]: clip")
    assert heads([0.2, 0.9])[1] == (
        "false where a record is NaN: drop or replace NaN, which clipping lets pass, or state --bounds"
    )
    assert heads(np.array([[0.1, 0.2], [0.5, 0.6]]))[0].startswith("false unless column [0] lies in [0.1, 0.5]: clip")
    assert heads([0.1, None, 0.4])[0].startswith("false unless records lie in [0.1, 0.4] or are missing: clip")


def test_columns_are_tried_one_by_one_where_each_has_its_turn_and_else_at_once_first():
    assert all("at once" not in head for head in heads(PEOPLE))
    assert "where 2 of them leave their ranges at once" in heads(PEOPLE, limit=1)[0]


def test_a_column_of_which_no_other_values_are_known_is_named():
    days = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2021-01-01"]), "x": [1.0, 2.0], "b": [True, False]})
    assert beyond(days).untried == ("day",)


def test_wide_rows_are_tried_all_columns_at_once_first():
    found = beyond(np.arange(80.0).reshape(2, 40))
    assert sum(value == 1e6 for value in pairs(found)[0].d0[-1]) == len(found.values) == 40
