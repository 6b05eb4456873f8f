"""Data sets as JSON and CSV: whatever an example may be, whole, or refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.programs.data_text import csv_text, json_text

ROWS = [{"age": 3, "name": 'a "b",c'}, {"age": 4, "name": "é"}]


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ([1, 2.5, True, None, "x"], [1, 2.5, True, None, "x"]),
        (np.array([[1.0, math.nan]]), [[1.0, None]]),
        (np.arange(30_000), list(range(30_000))),  # nothing is left out, however large
        ((np.zeros((2, 1)), np.ones(2)), [[[0.0], [0.0]], [1.0, 1.0]]),
        (ROWS, ROWS),
        ({3, 1, 2}, [1, 2, 3]),
        (np.int64(7), 7),
    ],
)
def test_json_gives_the_data_set_back(data, value):
    text = json_text(data)
    assert json.loads(text) == value
    assert "\n" not in text


def test_a_table_is_an_object_of_columns_and_csv_has_its_names():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [3, 4], "name": ['a "b",c', "é"]})
    assert json.loads(json_text(table)) == {"age": [3, 4], "name": ['a "b",c', "é"]}
    assert csv_text(table) == csv_text(ROWS) == 'age,name\n3,"a ""b"",c"\n4,é\n'


def test_csv_has_a_record_a_line():
    assert csv_text([0.5, 1.0]) == "0.5\n1.0\n"
    assert csv_text([(1, 2), (3, 4)]) == "1,2\n3,4\n"
    assert csv_text([]) == ""


def test_what_cannot_be_said_is_refused():
    for data in (math.inf, object(), [1, object()]):
        with pytest.raises(InputError, match="for a program"):
            json_text(data)
    for rows in ([[1, [2]]], 3, [{"a": 1}, {"b": 2}]):
        with pytest.raises(InputError, match="no rows"):
            csv_text(rows)
