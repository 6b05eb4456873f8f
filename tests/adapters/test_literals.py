from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.adapters.literals import arguments_text, literal_arguments, load_dataset
from dpverify.core.errors import InputError


def test_literals_are_plain_lists():
    assert load_dataset("[1, [2, 3]]", "--d0") == [1, [2, 3]]


def test_files_by_suffix(tmp_path):
    (tmp_path / "d.json").write_text(json.dumps([1, 2]))
    np.save(tmp_path / "d.npy", np.arange(3))
    (tmp_path / "d.csv").write_text("1,2\n3,4\n")
    assert load_dataset(str(tmp_path / "d.json"), "--d0") == [1, 2]
    assert load_dataset(str(tmp_path / "d.npy"), "--d0").tolist() == [0, 1, 2]
    assert load_dataset(str(tmp_path / "d.csv"), "--d0").shape == (2, 2)


def test_bad_data_is_one_line(tmp_path):
    with pytest.raises(InputError, match="neither JSON"):
        load_dataset("[1,2", "--d0")
    with pytest.raises(InputError, match="no file"):
        load_dataset("gone.json", "--d1")
    (tmp_path / "cut.npy").write_bytes(b"\x93NUMPY\x01")
    with pytest.raises(InputError, match="cannot be read"):
        load_dataset(str(tmp_path / "cut.npy"), "--d1")


@pytest.mark.parametrize(("text", "named"), [("[NaN]", "nan"), ('{"a": [1, [-Infinity]]}', "-inf"), ("1e999", "inf")])
def test_json_with_a_number_that_is_not_finite_names_it(text, named, tmp_path):
    (tmp_path / "d.json").write_text(text)
    for typed in (text, str(tmp_path / "d.json")):
        with pytest.raises(InputError, match=f"--d1 holds {named}; allowed: finite numbers"):
            load_dataset(typed, "--d1")


def test_missing_values_in_arrays_stay(tmp_path):
    np.save(tmp_path / "d.npy", np.array([1.0, np.nan]))
    assert np.isnan(load_dataset(str(tmp_path / "d.npy"), "--d0")[1])


def test_no_pickle_is_ever_loaded(tmp_path):
    np.save(tmp_path / "evil.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="cannot be read"):
        load_dataset(str(tmp_path / "evil.npy"), "--d0")


def test_parquet_of_more_values_than_are_read_is_one_line(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"a": [0] * 100, "b": [1] * 100}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr("dpverify.adapters.literals.MOST_VALUES", 199)
    with pytest.raises(InputError, match=r"a table of 100 rows and 2 columns.*at most 199 values"):
        load_dataset(str(tmp_path / "t.parquet"), "--data")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda each: st.lists(each, max_size=3) | st.tuples(each) | st.dictionaries(st.text(), each, max_size=3),
    max_leaves=5,
)


def test_literals_by_name():
    text = "epsilon=1.0, kind='a, b=c', shape=(1, -2), of={'a': [None, True]},"
    assert literal_arguments(text, "x") == {
        "epsilon": 1.0,
        "kind": "a, b=c",
        "shape": (1, -2),
        "of": {"a": [None, True]},
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "allowed: NAME=VALUE"),
        ("epsilon", "allowed: NAME=VALUE"),
        ("epsilon=", "allowed: NAME=VALUE"),
        ("epsilon:1", "allowed: NAME=VALUE"),
        ("epsilon=1) + f(x=2", "allowed: NAME=VALUE"),
        ("epsilon=1)(x=2", "allowed: NAME=VALUE"),
        ("**{}", "allowed: NAME=VALUE"),
        ("epsilon=1, epsilon=2", "epsilon twice"),
        ("kind=laplace", "in quotes: kind='laplace'"),
        ("epsilon=f()", r"epsilon=f\(\)"),
        ("epsilon=" + "(" * 5000, "allowed: NAME=VALUE"),
    ],
)
def test_what_is_refused_in_one_line(text, words):
    with pytest.raises(InputError, match=words) as caught:
        literal_arguments(text, "--parameters")
    assert "\n" not in str(caught.value)


@given(st.dictionaries(st.sampled_from(["a", "epsilon", "größe"]), VALUES, min_size=1))
def test_what_is_written_is_read_back(values):
    text = arguments_text(values)
    assert text is not None
    assert literal_arguments(text, "x") == values


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), {1, 2}.union, b"x".join])
def test_what_has_no_text(value):
    assert arguments_text({"a": value}) is None
