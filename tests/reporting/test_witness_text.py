"""Columns have the names of the table; other data sets stand as they are."""

import pytest

from dpverify.reporting.witness_text import dataset_text


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
