"""The Huberised hinge loss and its slope, against values by hand and a plain NumPy twin with complex steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impls.models.huber_svm import H_BAR, huber_svm_losses, huber_svm_slopes

STEP = 1e-30  # complex step: no cancellation, so no trade-off
MARGINS = np.concatenate([np.linspace(-4, 4, 81), [-800.0, 800.0]])


def twin(margin: complex) -> complex:
    """As the paper prints it, section V-C."""
    if np.real(margin) < 1 - H_BAR:
        return 1 - margin
    if abs(1 - np.real(margin)) <= H_BAR:
        return (1 + H_BAR - margin) ** 2 / (4 * H_BAR)
    return 0 * margin


def test_values_by_hand() -> None:
    at = np.array([-1.0, 0.5, 1.0, 1.5, 2.0])
    assert huber_svm_losses(at).tolist() == [2.0, 0.5, 0.125, 0.0, 0.0]
    assert huber_svm_slopes(at).tolist() == [-1.0, -1.0, -0.5, 0.0, 0.0]


def test_losses_agree_with_the_twin() -> None:
    assert huber_svm_losses(MARGINS) == pytest.approx(np.array([np.real(twin(z)) for z in MARGINS]), rel=1e-14)


def test_slopes_agree_with_complex_steps() -> None:
    steps = np.array([np.imag(twin(complex(z, STEP))) / STEP for z in MARGINS])
    assert huber_svm_slopes(MARGINS) == pytest.approx(steps, rel=1e-13, abs=1e-13)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_it_is_convex_and_falls(first: float, second: float) -> None:
    low, middle, high = huber_svm_losses(np.array([min(first, second), (first + second) / 2, max(first, second)]))
    assert middle <= (low + high) / 2 * (1 + 1e-12) + 1e-15
    assert 0 <= high <= low
