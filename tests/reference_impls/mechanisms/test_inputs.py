"""Data sets as mechanisms take them, and those that are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from reference_impls.mechanisms.inputs import category, query_vector, records, single_answer


def test_query_vectors() -> None:
    np.testing.assert_array_equal(query_vector([1, 2]), [1.0, 2.0])
    np.testing.assert_array_equal(query_vector(3.0), [3.0])
    np.testing.assert_array_equal(single_answer([3]), [3.0])
    for bad in ([], [[1.0]], [math.nan], "text", [1, [2]]):
        with pytest.raises(InputError):
            query_vector(bad)
    with pytest.raises(InputError, match="one"):
        single_answer([1.0, 2.0])


def test_records_may_be_none_at_all() -> None:
    assert records([]).shape == (0,)
    for bad in ([[1.0]], [math.inf], "text"):
        with pytest.raises(InputError):
            records(bad)


def test_categories() -> None:
    assert category(2, 3) == 2
    assert category(np.array([1.0]), 3) == 1
    for bad in (3, -1, 0.5, [1, 2]):
        with pytest.raises(InputError):
            category(bad, 3)
