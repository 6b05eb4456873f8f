"""L-BFGS: a quadratic's minimum, to the tolerance; and it stops where it is told to. What claims goes on or fails."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dpverify.core.errors import InputError
from reference_impls.training.lbfgs import minimise, minimum, stationary

SCALES = np.array([1.0, 10.0, 100.0])
MINIMUM = np.array([3.0, -2.0, 0.5])


def quadratic(weights: np.ndarray) -> tuple[float, np.ndarray]:
    away = weights - MINIMUM
    return 0.5 * float(SCALES @ away**2), SCALES * away


def test_it_finds_the_minimum() -> None:
    found = minimise(quadratic, np.zeros(3), tolerance=1e-10, iterations=100)
    assert np.abs(SCALES * (found - MINIMUM)).max() <= 1e-10


def test_it_stops_after_its_iterations() -> None:
    found = minimise(quadratic, np.zeros(3), tolerance=1e-10, iterations=1)
    assert found != pytest.approx(MINIMUM, abs=1e-3)


def logistic_slope(weights: np.ndarray) -> np.ndarray:
    """Of a strongly convex function that is no quadratic."""
    return SCALES * (weights - MINIMUM) + np.tanh(weights)


def test_it_goes_on_to_the_tolerance() -> None:
    near = MINIMUM + np.array([1e-3, -1e-3, 1e-3])
    found = stationary(logistic_slope, near, tolerance=1e-11, iterations=100)
    assert np.abs(logistic_slope(found)).max() <= 1e-11


def test_it_stays_where_the_gradient_is_small() -> None:
    near = np.array([1e-7, 0.0, 0.0])
    assert stationary(lambda weights: SCALES * weights, near, tolerance=1e-6, iterations=1) is near


@pytest.mark.parametrize(
    "gradient",
    [lambda weights: np.ones(3) + 0.0 * weights, lambda weights: np.full(3, np.nan), lambda weights: np.exp(weights)],
    ids=["constant", "no number", "no minimum"],
)
def test_it_returns_no_point_that_is_none(gradient: Callable[[np.ndarray], np.ndarray]) -> None:
    with pytest.raises(InputError, match=r"not reached.*iterations.*1e-10.*more iterations"):
        stationary(gradient, np.zeros(3), tolerance=1e-10, iterations=2)


def test_the_minimum_is_the_one_after_the_other() -> None:
    found = minimum(quadratic, np.zeros(3), tolerance=1e-12, iterations=100)
    near = minimise(quadratic, np.zeros(3), tolerance=1e-12, iterations=100)
    assert np.array_equal(found, stationary(lambda at: quadratic(at)[1], near, tolerance=1e-12, iterations=100))
    assert np.abs(SCALES * (found - MINIMUM)).max() <= 1e-12
    with pytest.raises(InputError, match="not reached"):
        minimum(lambda at: (float(at.sum()), np.ones(3)), np.zeros(3), tolerance=1e-12, iterations=2)
