"""`check` says in one line why a pair is none, for lists, nested lists, arrays and tables."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpverify.datasets.neighbors.add_remove import AddRemove, infer_relation
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.datasets.neighbors.replace import Replace
from dpverify.datasets.neighbors.value import Value

ALL, ONE, ADD, REPLACE, VALUE = AllQueries(), OneQuery(), AddRemove(), Replace(), Value()


X, Y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
FRAME = pd.DataFrame({"age": [30, 40, 50], "name": ["a", "b", None]})
LONG = pd.DataFrame({"age": np.arange(1000)})


def table(features, labels):
    return SimpleNamespace(features=np.array(features, dtype=float), labels=np.array(labels))


@pytest.mark.parametrize(
    ("generator", "d0", "d1"),
    [
        (ALL, [1, 2, 3], [2, 1, 3.5]),
        (ALL, np.array([0.1]), np.array([1.1])),
        (ALL, 0.3, 1.3),
        (ALL, [0.0, 0.0], [1 + 5e-13, -1]),
        (ONE, [1, 2, 3], [1, 2, 3.25]),
        (ONE, 5, 5.5),
        (ADD, [1, 2, 3], [3, 1]),
        (ADD, [], [4]),
        (ADD, [[1, 2], [3, 4]], [[3, 4]]),
        (ADD, np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0]])),
        (ADD, [1, 1, 2], [2, 1]),
        (ADD, ["a", "b"], ["b"]),
        (ADD, [{"x": 1, "y": 2}], [{"y": 2, "x": 1}, {"x": 0}]),
        (ADD, table([[1, 2], [3, 4]], [1, -1]), table([[3, 4]], [-1])),
        (ADD, {1, 2, 3}, {1, 3}),
        (ADD, frozenset("ab"), frozenset("b")),
        (ADD, (X, Y), (X[1:], Y[1:])),
        (ADD, ([[1, 2], [3, 4]], [0, 1]), ([[1, 2]], [0])),
        (ADD, {"x": X, "y": Y}, {"x": X[:3], "y": Y[:3]}),
        (ADD, {"a": [1, 2], "b": ["x", "y"]}, {"a": [2], "b": ["y"]}),
        (ADD, FRAME, FRAME.drop(index=1)),
        (ADD, FRAME["age"], FRAME["age"][:2]),
        (REPLACE, {1, 2}, {1, 3}),
        (REPLACE, (X, Y), (X, np.array([0, 1, 0, 0]))),
        (REPLACE, FRAME, FRAME.assign(age=[30, 41, 50])),
        (REPLACE, [1, 2, 3], [3, 9, 1]),
        (REPLACE, [float("nan"), 1.0], [2.0, float("nan")]),
        (REPLACE, table([[1, 2], [3, 4]], [1, -1]), table([[1, 2], [3, 4]], [1, 1])),
        (VALUE, 0, 7),
        (VALUE, np.int64(3), np.array(1)),
        (VALUE, 2.0, [0][0]),
    ],
)
def test_neighbours(generator, d0, d1):
    assert generator.check(d0, d1) is None
    assert generator.check(d1, d0) is None


@pytest.mark.parametrize(
    ("generator", "d0", "d1", "why"),
    [
        (ALL, [1, 2, 3], [1, 2], "d0 has 3 query answers and d1 has 2"),
        (ALL, [1, 2, 3], [1, 3.5, 3], "entry 1 moves by 1.5, more than 1"),
        (ALL, [0.0], [1 + 1e-9], "moves by 1.000000001, more than 1"),
        (ALL, [[1, 2], [3]], [1], "d0 is not a vector of numbers"),
        (ALL, [[1, 2], [3, 4]], [1], "d0 has shape (2, 2)"),
        (ALL, [1.0, float("nan")], [1, 2], "NaN or an infinite answer at entry 1"),
        (ALL, "abc", [1], "d0 is not a vector"),
        (ONE, [1, 2, 3], [1.5, 2.5, 3], "2 entries move"),
        (ONE, [1, 2, 3], [1, 4, 3], "entry 1 moves by 2"),
        (ADD, [1, 2], [3, 4], "d0 has 2 records and d1 has 2"),
        (ADD, [1, 2, 3], [4, 1], "record 0 of d1"),
        (ADD, [4, 1], [1, 2, 3], "record 0 of d0"),
        (ADD, [1, 1], [1, 2, 3], "record 1 of d0"),
        (ADD, 5, [1], "d0 is of type int"),
        (ADD, np.array(5.0), [1], "d0 is a single value"),
        (ADD, [[1, 2], [3, 4]], [[3, 4.0000001]], "record 0 of d1"),
        (ADD, table([[1, 2], [3, 4]], [1]), [1], "2 rows of features and 1 labels"),
        (REPLACE, [1, 2], [1, 2, 3], "the sizes must be equal"),
        (REPLACE, [1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 6], "5 records of d0 (at 0, 1, 2, 3 ...)"),
        (REPLACE, "ab", [1], "d0 is of type str"),
        (REPLACE, [1], {"a": 1}, "d1 is of type dict"),
        (REPLACE, (X, Y), (X, 1 - Y), "4 records of d0"),
        (REPLACE, {"a": [1, 2], "b": [1]}, {"a": [1], "b": [1]}, "d0 has columns of different lengths: 2 in 'a', 1 in"),
        (REPLACE, FRAME, FRAME.rename(columns={"age": "aged"}), "d0 has the columns 'age', 'name', d1 has the columns"),
        (REPLACE, FRAME, [1, 2, 3], "d1 has no columns"),
        (VALUE, 0, 1.5, "d1 = 1.5 is not a value"),
        (VALUE, -1, 0, "d0 = -1 is not a value"),
        (VALUE, 0, [1, 2], "d1 = [1, 2] is not a value"),
        (VALUE, True, 0, "d0 = True is not a value"),
        (VALUE, float("inf"), 0, "d0 = inf is not a value"),
    ],
)
def test_reasons(generator, d0, d1, why):
    reason = generator.check(d0, d1)
    assert reason is not None
    assert why in reason
    assert "\n" not in reason


@pytest.mark.parametrize(
    ("d0", "d1", "relation"),
    [
        ([1, 2, 3], [1, 2], "add-remove"),
        ([2, 1], [1, 2, 3], "add-remove"),
        ([1, 2, 3], [3, 5, 1], "replace"),
        (np.eye(3), np.eye(3)[:2], "add-remove"),
        (table([[1, 2]], [1]), table([[1, 2]], [-1]), "replace"),
        ([0], [1], "replace"),
        ((X, Y), (X[:3], Y[:3]), "add-remove"),
        ((X, Y), (X, 1 - Y), None),
        (LONG, LONG.replace(500, -1), "replace"),
        (LONG, LONG.replace({500: -1, 501: -1}), None),
        ({1, 2}, {1, 2, 3}, "add-remove"),
        ([1, 2, 3], [3, 2, 1], None),
        ([1, 2, 3], [4, 5, 3], None),
        ([1, 2, 3], [1], None),
        ([1, 2, 3], [4, 5], None),
        (0, 1, None),
        ("ab", "a", None),
    ],
)
def test_relation_read_off_a_pair(d0, d1, relation):
    assert infer_relation(d0, d1) == relation
    assert infer_relation(d1, d0) == relation
