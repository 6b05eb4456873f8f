"""Scaling, the intercept, and signed labels."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.preprocessing import scaled, signed, with_intercept


def test_columns_are_scaled_each_on_its_own() -> None:
    found = scaled(np.array([[-10.0, 5.0, 0.0], [30.0, 5.0, 1.0], [0.0, 5.0, 0.0]]))
    assert found.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.25, 0.0, 0.0]]


def test_an_intercept_stands_last() -> None:
    assert with_intercept(np.array([[2.0], [3.0]])).tolist() == [[2.0, 1.0], [3.0, 1.0]]


def test_labels_are_signed() -> None:
    assert signed(np.array([0.0, 1.0]), name="two").tolist() == [-1.0, 1.0]
    with pytest.raises(InputError, match=r"two with label 0\.5"):
        signed(np.array([1.0, 0.5]), name="two")
