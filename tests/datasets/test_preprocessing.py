"""Scaling, the intercept, and signed labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.files import Content, DataFile
from dpverify.datasets.preprocessing import parse_blank_separated, parse_prepared, scaled, signed, with_intercept


def test_columns_are_scaled_each_on_its_own() -> None:
    found = scaled(np.array([[-10.0, 5.0, 0.0], [30.0, 5.0, 1.0], [0.0, 5.0, 0.0]]))
    assert found.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.25, 0.0, 0.0]]


def test_an_intercept_stands_last() -> None:
    assert with_intercept(np.array([[2.0], [3.0]])).tolist() == [[2.0, 1.0], [3.0, 1.0]]


def test_labels_are_signed() -> None:
    assert signed(np.array([0.0, 1.0]), name="two").tolist() == [-1.0, 1.0]
    with pytest.raises(InputError, match=r"two with label 0\.5"):
        signed(np.array([1.0, 0.5]), name="two")


FILE = DataFile(folder="bank", name="BANK")


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


def test_a_prepared_file_has_an_intercept_and_signed_labels() -> None:
    def parse(text: bytes) -> tuple[np.ndarray, np.ndarray]:
        return parse_prepared((Content(file=FILE, path=Path("BANK"), data=text, sha256=""),), columns=1)

    features, labels = parse(b"2 0\n4 1\n")
    assert features.tolist() == [[0.0, 1.0], [1.0, 1.0]]
    assert labels.tolist() == [-1.0, 1.0]
    with pytest.raises(InputError, match="BANK with label 2"):
        parse(b"1 2\n")
