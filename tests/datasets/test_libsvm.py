"""The LIBSVM format."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.libsvm import parse_libsvm


def slow_parse(text: str, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The naive twin: line by line, pair by pair."""
    lines = [line.split() for line in text.splitlines()]
    features = np.zeros((len(lines), columns))
    for row, parts in enumerate(lines):
        for pair in parts[1:]:
            index, value = pair.split(":")
            features[row, int(index) - 1] = float(value)
    return features, np.array([float(parts[0]) for parts in lines])


def test_a_small_text() -> None:
    features, labels = parse_libsvm(b"+1 2:1 4:0.5 \n-1\n-1 1:-3e-2", columns=4)
    assert features.tolist() == [[0, 1, 0, 0.5], [0, 0, 0, 0], [-0.03, 0, 0, 0]]
    assert labels.tolist() == [1, -1, -1]


records = st.tuples(
    st.sampled_from(["+1", "-1"]),
    st.dictionaries(st.integers(1, 9), st.floats(-1e6, 1e6).map(repr), max_size=9),
)


@given(st.lists(records, min_size=1, max_size=12), st.booleans())
def test_it_agrees_with_the_naive_twin(rows: list[tuple[str, dict[int, str]]], blank: bool) -> None:
    lines = [" ".join([label, *(f"{i}:{v}" for i, v in sorted(pairs.items()))]) + " " * blank for label, pairs in rows]
    text = "\n".join(lines) + "\n"
    features, labels = parse_libsvm(text.encode(), columns=9)
    expected = slow_parse(text, 9)
    assert np.array_equal(features, expected[0])
    assert np.array_equal(labels, expected[1])


@pytest.mark.parametrize(
    "text", [b"", b"  \n", b"+1 2:1 3\n", b"+1 2:1\n\n-1 1:1\n", b"+1 0:1\n", b"+1 5:1\n", b"+1 1.5:1\n"]
)
def test_malformed_texts_are_refused(text: bytes) -> None:
    with pytest.raises(InputError):
        parse_libsvm(text, columns=4, name="toy")


@pytest.mark.parametrize("text", [b"+1 a:1\n", b"# comment\n+1 1:1\n", b"yes 1:1\n"])
def test_words_are_refused(text: bytes) -> None:
    with pytest.raises(InputError, match="LIBSVM"):
        parse_libsvm(text, columns=4, name="toy")
