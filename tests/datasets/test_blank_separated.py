"""The plain format of DP-AGD's data: numbers, lengths, scaling, labels."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.blank_separated import labelled, parse_blank_separated, scaled


def test_numbers_in_their_places() -> None:
    found = parse_blank_separated(b"1 -2.5 0 \n3 4e1 1\n\n", columns=3)
    assert found.tolist() == [[1.0, -2.5, 0.0], [3.0, 40.0, 1.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "no columns"),
        (b"1 2 0\n1 0\n", "2, 3 columns"),
        (b"1 2\n", "2 columns"),
        (b"1 two 0\n", "no number"),
        (b"1 inf 0\n", "not finite"),
    ],
)
def test_another_text_is_refused_by_name(text: bytes, message: str) -> None:
    with pytest.raises(InputError, match=f"BANK.*{message}"):
        parse_blank_separated(text, columns=3, name="BANK")


def test_columns_are_scaled_each_on_its_own() -> None:
    found = scaled(np.array([[-10.0, 5.0, 0.0], [30.0, 5.0, 1.0], [0.0, 5.0, 0.0]]))
    assert found.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.25, 0.0, 0.0]]


def test_a_table_has_an_intercept_and_signed_labels() -> None:
    table = labelled(np.array([[2.0, 0.0], [4.0, 1.0]]), name="two", source="here", sha256="abc")
    assert table.features.tolist() == [[0.0, 1.0], [1.0, 1.0]]
    assert table.labels.tolist() == [-1.0, 1.0]
    assert (table.name, table.source, table.sha256) == ("two", "here", "abc")
    with pytest.raises(InputError, match="label 2"):
        labelled(np.array([[1.0, 2.0]]), name="two", source="", sha256="")
