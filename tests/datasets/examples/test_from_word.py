"""Containers made again from their word are what they were; others are refused in one line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.examples.container import container_of
from dpverify.datasets.examples.from_word import from_word
from dpverify.datasets.neighbors.json_values import plain_dataset


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
