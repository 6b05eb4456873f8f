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
