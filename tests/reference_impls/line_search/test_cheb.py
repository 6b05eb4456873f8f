"""CHEB's judgement: angles against their exact values, every branch of lines 7 to 10."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.cheb import RIGHT_ANGLE, angle_between, enlarged, mean_angle, raised

LEVELS = Levels(rho_grad=2.0, budget_bt=3.0, c_grad=1.0, c_obj=1.0)
SETTINGS = {"xi": 0.5, "phi_max": 1.1, "phi_min": 0.5}


@pytest.mark.parametrize("degrees", [0.0, 1e-9, 30.0, 60.0, 89.999999, 90.0, 120.0, 179.999999999, 180.0])
@pytest.mark.parametrize("lengths", [(1.0, 1.0), (1e-200, 1e200), (3.0, 1e-300)])
def test_the_angle_between_vectors_a_known_angle_apart(degrees: float, lengths: tuple[float, float]) -> None:
    """Whatever their lengths; the arc cosine would miss 1e-9 degrees by 1e-6."""
    turned = np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])
    assert angle_between(lengths[0] * np.array([1.0, 0.0]), lengths[1] * turned) == pytest.approx(degrees, abs=1e-13)


@pytest.mark.parametrize("odd", [[0.0, 0.0], [math.inf, 0.0], [math.nan, 1.0]])
def test_a_vector_without_a_direction_is_at_a_right_angle(odd: list[float]) -> None:
    assert angle_between(np.array(odd), np.array([1.0, 2.0])) == RIGHT_ANGLE
    assert angle_between(np.array([1.0, 2.0]), np.array(odd)) == RIGHT_ANGLE


def test_the_mean_angle_decays() -> None:
    assert mean_angle(90.0, 40.0, 0.8) == pytest.approx(80.0)


@pytest.mark.parametrize(
    ("angle", "average", "rho", "budget"),
    [
        (90.1, 100.0, 3.0, 3.0),  # opposed: though below phi_max times the mean
        (80.0, 70.0, 3.0, 3.0),  # above 77
        (76.9, 70.0, 2.0, 3.0),  # between
        (35.1, 70.0, 2.0, 3.0),
        (34.9, 70.0, 2.0, 4.5),  # below 35
    ],
)
def test_each_branch(angle: float, average: float, rho: float, budget: float) -> None:
    after = enlarged(LEVELS, angle, average, **SETTINGS)
    assert (after.rho_grad, after.budget_bt) == pytest.approx((rho, budget))
    assert (after.c_grad, after.c_obj) == (1.0, 1.0)


@pytest.mark.parametrize("angle", [10.0, 50.0, 80.0, 120.0])
def test_never_and_always_ignore_the_angle(angle: float) -> None:
    assert raised(LEVELS, "adap", angle, 70.0, **SETTINGS) == enlarged(LEVELS, angle, 70.0, **SETTINGS)
    assert raised(LEVELS, "no", angle, 70.0, **SETTINGS) == LEVELS
    always = raised(LEVELS, "must", angle, 70.0, **SETTINGS)
    assert (always.rho_grad, always.budget_bt) == pytest.approx((3.0, 3.0))
