"""Witnesses as plain JSON values."""

import json

import numpy as np
import pandas as pd

from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.json_values import MOST_NUMBERS, plain_dataset, plain_pair
from dpverify.datasets.table import Table


def test_data_sets_become_json_and_come_back():
    table = Table(features=np.ones((2, 3)), labels=np.array([1.0, -1.0]), name="tiny")
    for dataset, expected in [
        (np.array([1.0, 2.5]), [1.0, 2.5]),
        (np.int64(3), 3),
        ([1, "a", (2, None)], [1, "a", [2, None]]),
        ({1: np.float64(0.5)}, {"1": 0.5}),
        (True, True),
        (3 + 4j, "(3+4j)"),
        ({"b", "a"}, ["a", "b"]),
        (pd.DataFrame({"age": [1, 2]}), {"'age'": [1, 2]}),
        (pd.Series([1.5, 2.5]), [1.5, 2.5]),
        ((np.ones(2), np.zeros(2)), [[1.0, 1.0], [0.0, 0.0]]),
    ]:
        assert plain_dataset(dataset) == expected
        json.dumps(plain_dataset(dataset), allow_nan=False)
    assert plain_dataset(table)["features"] == [[1.0] * 3] * 2
    assert plain_dataset(table)["labels"] == [1.0, -1.0]
    pair = plain_pair(Pair(d0=np.zeros(1), d1=np.ones(1), label="up"))
    assert pair == {"d0": [0.0], "d1": [1.0], "pair": "up"}


def test_large_arrays_are_named_by_shape_and_checksum():
    large = np.zeros(MOST_NUMBERS + 1)
    named = plain_dataset(large)
    assert named["shape"] == [MOST_NUMBERS + 1]
    assert named["sha256"] != plain_dataset(large + 1)["sha256"]


def test_long_tables_that_differ_in_the_middle_are_not_the_same():
    """Their printed forms are."""
    frame = pd.DataFrame({"age": range(1000)})
    other = frame.replace(500, -1)
    assert repr(frame) == repr(other)
    assert plain_dataset(frame) != plain_dataset(other)
    large = pd.DataFrame({"age": np.zeros(MOST_NUMBERS + 1)})
    assert set(plain_dataset(large)["'age'"]) == {"shape", "type", "sha256"}
