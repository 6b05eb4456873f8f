"""Known arrays are read as they lie in memory, and an order in words is not read."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.derivation.derive import derive
from dpverify.derivation.known import replica

WHOLE = np.arange(24.0).reshape(4, 6)
MATRIX = np.array([[0, 0], [1, 1000]])


@pytest.mark.parametrize(
    "array",
    [WHOLE, WHOLE.T, WHOLE[:, ::2], WHOLE[::-1], WHOLE[1:, 1:].T, np.broadcast_to(WHOLE[0], (3, 6)), WHOLE[:0]],
)
def test_a_copy_has_the_numbers_and_the_order(array):
    found = replica(array)
    assert np.array_equal(found, array) and found.dtype == array.dtype
    assert (found.strides == array.strides or array.size == 0) and found.flags.writeable == array.flags.writeable
    assert not np.shares_memory(found, array)


def by_type(data, rng):
    return data.sum() * MATRIX.astype("float64")[1, 0] + rng.laplace(scale=1.0)


def by_order(data, rng):
    return data.sum() * MATRIX.T.astype(float, "K")[0, 1] + rng.laplace(scale=1.0)


def raveled(data, rng):
    return data.sum() * MATRIX.T.ravel("K")[2] + rng.laplace(scale=1.0)


def test_a_type_in_words_is_read_and_an_order_is_not():
    asked = {"data": np.array([0.2, 0.5]), "bounds": "0:1", "claim": "PureDP(epsilon=1)"}
    assert derive(by_type, **asked).outcome == "proved"
    assert "the method astype" in derive(by_order, **asked).why
    assert "the method ravel" in derive(raveled, **asked).why
