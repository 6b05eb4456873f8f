"""Columns have the names of the table; other data sets stand as they are."""

import pytest

from dpverify.reporting.witness_text import dataset_text, difference_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"'age'": [1, 2], "'job'": [3, 4]}, "{'age': [1, 2], 'job': [3, 4]}"),
        ({"0": [1], "1": [2]}, "{0: [1], 1: [2]}"),
        ({"age": [1]}, "{'age': [1]}"),
        ({"'broken": [1]}, '{"\'broken": [1]}'),
        ([0.5, "'x'"], "[0.5, \"'x'\"]"),
        ({}, "{}"),
    ],
)
def test_columns_have_their_own_names(data, text):
    assert dataset_text(data) == text


def test_long_data_sets_are_cut():
    assert len(dataset_text([0.25] * 100)) == 130


def test_arrays_that_are_known_by_their_hash_are_told_by_shape_and_hash():
    features = {"shape": [1000, 124], "type": "float64", "sha256": "51789192001e9d58a3"}
    told = "features: float64 of shape [1000, 124], hash 51789192"
    assert dataset_text({"features": features}) == told
    more = {"features": features, "labels": [1.0] * 99, "name": "adult", "source": ""}
    assert dataset_text(more) == f"{told}, labels: 99 values, name: adult"


ROWS = {"'ward'": ["A", "B"], "'age'": [30, 27]}


@pytest.mark.parametrize(
    ("d0", "d1", "told"),
    [
        (ROWS, {"'ward'": ["A"], "'age'": [30]}, "d0 without the record ward = 'B', age = 27"),
        ({"'ward'": ["B"], "'age'": [27]}, ROWS, "d0 and the record ward = 'A', age = 30"),
        (ROWS, {"'ward'": ["A", "B"], "'age'": [30, 99]}, "d0, but age of record 2 is 99, not 27"),
        (ROWS, {"'ward'": ["C", "B"], "'age'": [30, 27]}, "d0, but ward of record 1 is 'C', not 'A'"),
        (ROWS, {"'ward'": ["A"], "'age'": [30, 27]}, ""),
        (ROWS, {"'ward'": ["C", "D"], "'age'": [1, 2]}, ""),
        (ROWS, {"'ward'": ["C"], "'age'": [1]}, ""),
        (ROWS, "hidden", ""),
        ([1.0, 2.0], [1.0], ""),
        ({"w": 3.0}, {"w": 4.0}, ""),
    ],
)
def test_neighbouring_tables_differ_in_a_column_of_a_record(d0, d1, told):
    assert difference_text(d0, d1) == told
