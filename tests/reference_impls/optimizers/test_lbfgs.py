"""L-BFGS: a quadratic's minimum, to the tolerance; and it stops where it is told to."""

from __future__ import annotations

import numpy as np
import pytest

from reference_impls.optimizers.lbfgs import minimise

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
