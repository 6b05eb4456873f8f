"""Plain numbers of a range, and vectors on levels."""

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.datasets.neighbors.blocks import on_levels
from dpverify.datasets.neighbors.plain_records import extremes_first, plain_first


@pytest.mark.parametrize(
    ("low", "high", "extremes", "plain"),
    [
        (-10.0, 10.0, [10.0, -10.0, 0.0, 1.0], [0.0, 1.0, -10.0, 10.0]),
        (0.0, 1.0, [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]),
        (2.0, 5.0, [5.0, 2.0, 3.5], [3.5, 2.0, 5.0]),
        (-4.0, 0.5, [0.5, -4.0, 0.0, -1.75], [0.0, -1.75, -4.0, 0.5]),
    ],
)
def test_levels_of_a_range(low, high, extremes, plain):
    space = SearchSpace(size=1, low=low, high=high)
    assert extremes_first(space) == extremes
    assert plain_first(space) == plain


def test_a_vector_on_levels():
    point = np.array([0.5, 0.5, 0.5, -9.0, 2.0, 3.0, 9.0, 77.0])  # three breakpoints in the middle, then four levels
    assert on_levels(point, 6, low=-1.0, high=4.0).tolist() == [-1.0] * 3 + [4.0] * 3
    assert on_levels(np.array([0.5, 2.0, 3.0, 77.0]), 2, low=0.0, high=4.0).tolist() == [2.0, 3.0]
    assert on_levels(np.array([2.0, 77.0]), 1, low=0.0, high=4.0).tolist() == [2.0]
    assert on_levels(np.array([2.0, 77.0]), 0, low=0.0, high=4.0).tolist() == []
