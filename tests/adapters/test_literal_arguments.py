"""Arguments as text: what is read, what is refused, and that what is written is read back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.adapters.literal_arguments import arguments_text, literal_arguments
from dpverify.core.errors import InputError

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
