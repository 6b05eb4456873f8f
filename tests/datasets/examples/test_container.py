"""Every known container is taken apart and put together again: same type, same values, other records in their place."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.examples.container import container_of, from_word
from dpverify.datasets.neighbors.json_values import plain_dataset

EXAMPLES = {
    "list": [0.5, 1.0],
    "tuple": (1, 2, 3),
    "list of texts": ["a", "b"],
    "list of tuples": [(1, "a"), (2, "b")],
    "list of lists": [[1.0, 2.0], [3.0, 4.0]],
    "list of dicts": [{"age": 3, "sex": "f"}, {"age": 4, "sex": "m"}],
    "array": np.array([1.5, 2.5], dtype=np.float32),
    "integers": np.arange(3),
    "matrix": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    "pandas": pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": pd.Series([1.5, 2.5], dtype="float32")}),
    "polars": pl.DataFrame({"a": [1.5, None], "b": [True, False]}),
    "arrow": pa.table({"a": [1, 2], "b": ["x", None]}),
    "pandas column": pd.Series([1.0, 2.0], name="x"),
    "polars column": pl.Series("x", [1, 2]),
    "dict of columns": {"x": [1, 2], "y": np.array([0.1, 0.2])},
    "X and y": (np.ones((3, 2)), np.array([1, -1, 1])),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_taken_apart_and_put_together_it_is_the_same(name):
    data = EXAMPLES[name]
    container = container_of(data)
    again = container.build(container.records)
    assert type(again) is type(data)
    assert repr(again) == repr(data)


@pytest.mark.parametrize("name", EXAMPLES)
def test_one_record_more_and_none_at_all(name):
    container = container_of(EXAMPLES[name])
    for records in ([*container.records, container.records[0]], []):
        other = container.build(records)
        assert container_of(other).records == tuple(records) if records else len(other) in (0, 2)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (3.5, "float"),
        (np.zeros((2, 2, 2)), "an array of shape (2, 2, 2)"),
        ([(1, 2), (1,)], "record 1 is not like record 0"),
        ([{"a": 1}, {"b": 1}], "record 1 is not like record 0"),
        ({"a": [1, 2], "b": [1]}, "a dict of 'a', 'b'"),
        ({}, "a dict of nothing"),
        ((np.zeros((2, 2)), np.zeros(3)), "shapes (2, 2) and (3,)"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns called a, a"),
        ({1, 2}, "set"),
    ],
)
def test_what_has_no_records_is_refused_in_one_line(data, said):
    with pytest.raises(InputError, match="allowed") as caught:
        container_of(data)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        [0.5, 1.5],
        (1, 2),
        [(1, "a"), (2, "b")],
        [[1, 2.5], [3, 4.5]],
        [{"x": 1}, {"x": 2}],
        np.array([1.5, 2.5], dtype=np.float32),
        np.array([[1, 2], [3, 4]]),
        np.array(["a", "bc"]),
    ],
    ids=repr,
)
def test_a_container_comes_back(data):
    again = from_word(json.loads(json.dumps(plain_dataset(data))), container_of(data).word)
    assert type(again) is type(data)
    assert repr(again) == repr(data)


@pytest.mark.parametrize(
    "data", [pd.DataFrame({"x": [1]}), {"x": [1]}, (np.ones((2, 2)), np.ones(2))], ids=lambda data: type(data).__name__
)
def test_others_are_refused(data):
    with pytest.raises(InputError, match=r"cannot be made again.*dpverify\.toml"):
        from_word([], container_of(data).word)


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="make no array of float64"):
        from_word(["x"], "array of float64")


def test_without_a_word_the_value_stays():
    assert from_word([1, 2], "") == [1, 2]
