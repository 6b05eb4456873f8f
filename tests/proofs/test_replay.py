"""Outputs of code and proof agree up to the rounding of sums: numbers alone, as in arrays."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpverify.proofs.replay import CLOSE, same

NUMBERS = (0, True, 0.0, -0.0, 1e-9, 2.1e-9, 1.0, 1 + CLOSE, 1 + 1.9 * CLOSE, 1 + 2.1 * CLOSE, 1e300, 1.000000003e300)
NUMBERS += (1e9, 1e9 + 1.9, 1e9 + 2.1, math.inf, -math.inf, math.nan, 2**64)
NUMBERS += (np.float64(1.0), np.int64(0), np.bool_(True))


def test_numbers_agree_where_arrays_of_them_do():
    pairs = list(itertools.product(NUMBERS, repeat=2))
    told = [same(first, second) for first, second in pairs]
    assert told == [same(np.array([first]), np.array([second])) for first, second in pairs]
    assert same(1.0, 1 + 1.9 * CLOSE)
    assert not same(1.0, 1 + 2.1 * CLOSE)


@pytest.mark.parametrize(("first", "second", "agree"), [(10**400, 10**400, True), (10**400, 1.0, False)])
def test_integers_beyond_every_double_are_compared_as_they_are(first, second, agree):
    assert same(first, second) is agree
