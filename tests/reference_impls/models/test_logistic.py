"""The logistic loss and its slope, against closed forms, a plain NumPy twin with complex steps, and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from reference_impls.models.logistic import logistic_losses, logistic_slopes

STEP = 1e-30  # complex step: no cancellation, so no trade-off
MARGINS = np.concatenate([np.linspace(-4, 4, 81), [-800.0, -30.0, 30.0, 800.0]])


def twin(margin: complex) -> complex:
    """log(1 + exp(-z)), written so that neither end overflows."""
    return np.log1p(np.exp(-margin)) if np.real(margin) > 0 else -margin + np.log1p(np.exp(margin))


def test_closed_forms() -> None:
    assert logistic_losses(np.array([0.0]))[0] == pytest.approx(math.log(2), rel=1e-15)
    assert logistic_slopes(np.array([0.0]))[0] == -0.5
    assert logistic_losses(np.array([-1e308]))[0] == 1e308


def test_losses_agree_with_the_twin() -> None:
    assert logistic_losses(MARGINS) == pytest.approx(
        np.array([np.real(twin(z)) for z in MARGINS]), rel=1e-14, abs=1e-300
    )


def test_slopes_agree_with_complex_steps_and_scipy() -> None:
    steps = np.array([np.imag(twin(complex(z, STEP))) / STEP for z in MARGINS])
    assert logistic_slopes(MARGINS) == pytest.approx(steps, rel=1e-13, abs=1e-300)
    assert logistic_slopes(MARGINS) == pytest.approx(-expit(-MARGINS), rel=1e-14, abs=1e-300)


@given(st.floats(-700, 700), st.floats(-700, 700))
def test_it_is_convex_and_falls(first: float, second: float) -> None:
    low, middle, high = logistic_losses(np.array([min(first, second), (first + second) / 2, max(first, second)]))
    assert middle <= (low + high) / 2 * (1 + 1e-12)
    assert 0 <= high <= low
