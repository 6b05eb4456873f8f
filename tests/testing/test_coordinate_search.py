"""Coordinate search: closed forms, the compiled walk is the plain one, and bad boxes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from dpverify.core.errors import InputError
from dpverify.testing.coordinate_search import coordinate_search


def hill(vector):
    return -((vector[0] - 0.3) ** 2) - 2.0 * (vector[1] + 1.7) ** 2


@pytest.mark.parametrize("function", [hill, njit(hill)])
def test_finds_the_top_of_a_hill_and_the_corner_of_a_slope(function):
    spot = coordinate_search(function, [(-1, 1), (-4, 4)])
    assert spot.place == pytest.approx([0.3, -1.7], abs=1e-4)
    assert coordinate_search(function, [(0.5, 1), (-4, -2)]).place == pytest.approx([0.5, -2.0])


def test_compiled_and_plain_walks_agree_bit_for_bit():
    box = [(-1, 1), (-4, 4)]
    one, two = (coordinate_search(function, box, start=[0.9, 3.0], evaluations=77) for function in (hill, njit(hill)))
    assert one.place.tolist() == two.place.tolist()
    assert (one.value, one.evaluations) == (two.value, two.evaluations)


@given(st.integers(1, 60), st.floats(-1, 1), st.floats(-4, 4))
def test_asks_no_more_than_allowed_and_never_ends_lower(evaluations, x, y):
    asked = []

    def counted(vector):
        asked.append(vector.copy())
        return hill(vector)

    spot = coordinate_search(counted, [(-1, 1), (-4, 4)], start=[x, y], evaluations=evaluations)
    assert len(asked) == spot.evaluations <= evaluations
    assert spot.value == max(map(hill, asked)) >= hill([x, y])


def test_what_has_no_number_is_left():
    assert coordinate_search(lambda v: np.nan if v[0] < 0.6 else v[0], [(0, 1)]).place == pytest.approx([1.0])


@pytest.mark.parametrize(
    ("bounds", "more"),
    [
        ([(1, 0)], {}),
        ([(0, np.inf)], {}),
        ([], {}),
        ([(0, 1)], {"start": [0.0, 1.0]}),
        ([(0, 1)], {"evaluations": 0}),
    ],
)
def test_bad_boxes_are_refused(bounds, more):
    with pytest.raises(InputError):
        coordinate_search(hill, bounds, **more)
