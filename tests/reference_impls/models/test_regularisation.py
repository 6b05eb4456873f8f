"""Regularisers: their values, the smooth part's gradient, the other part's prox."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from dpverify.core.errors import InputError
from reference_impls.models.regularisation import Penalty, soft_threshold

POINTS = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).map(np.array)
ROOM = 1e-12 * 1e3


def test_values_by_hand() -> None:
    penalty = Penalty(l1=2.0, l2=0.5)
    w = np.array([1.0, -2.0])
    assert penalty.value(w) == 2 * 3 + 0.25 * 5
    assert penalty.gradient(w).tolist() == [0.5, -1.0]
    assert penalty.prox(np.array([3.0, -3.0, 0.5, -1.0]), 0.5).tolist() == [2.0, -2.0, 0.0, 0.0]
    assert Penalty().value(w) == 0.0


@given(st.floats(-5, 5), st.floats(0.01, 3), st.floats(0, 3))
def test_the_prox_is_the_minimiser(point: float, step: float, l1: float) -> None:
    found = float(Penalty(l1=l1).prox(np.array([point]), step)[0])

    def objective(w: float) -> float:
        return step * l1 * abs(w) + (w - point) ** 2 / 2

    best = minimize_scalar(objective, bounds=(-6, 6), method="bounded", options={"xatol": 1e-10}).fun
    assert objective(found) <= best + 1e-12


@given(POINTS, POINTS, st.floats(0, 1e3))
def test_soft_thresholding_moves_no_two_points_apart(one: np.ndarray, two: np.ndarray, threshold: float) -> None:
    """Coordinate by coordinate (AM-SOFT's first half), and keeps their order."""
    moved = soft_threshold(one, threshold) - soft_threshold(two, threshold)
    assert (np.abs(moved) <= np.abs(one - two) + ROOM).all()
    assert (moved * (one - two) >= -ROOM * 1e3).all()


@given(POINTS, POINTS, st.floats(0, 10))
def test_the_smooth_part_is_as_convex_as_it_says(one: np.ndarray, two: np.ndarray, l2: float) -> None:
    penalty = Penalty(l2=l2)
    tangent = penalty.value(one) + penalty.gradient(one) @ (two - one) + l2 / 2 * np.sum((two - one) ** 2)
    assert penalty.value(two) == pytest.approx(tangent, rel=1e-9, abs=1e-6)


def test_bad_coefficients_are_refused() -> None:
    for wrong in ({"l1": -1.0}, {"l2": math.inf}, {"l2": math.nan}):
        with pytest.raises(InputError, match="finite number >= 0"):
            Penalty(**wrong)
    with pytest.raises(InputError, match="soft threshold"):
        soft_threshold(np.zeros(1), -1.0)
