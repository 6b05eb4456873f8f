"""Losses of a score and their slopes: values by hand, plain twins with complex steps and central differences, SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from reference_impls.models.linear_loss import HINGE, HUBER_SVM, LINEAR_LOSSES, LOGISTIC, SQUARED, linear_loss
from reference_impls.models.linear_loss import linear_slope as slope

STEP = 1e-30  # complex step: no cancellation, so no trade-off
SCORES = [*np.linspace(-4, 4, 81).tolist(), -800.0, -30.0, 30.0, 800.0]
CASES = [(loss, h_bar) for loss in LINEAR_LOSSES for h_bar in ((0.1, 0.5, 2.0) if loss == "huber-svm" else (0.5,))]


def twin(loss: str, h_bar: float, score: complex, label: float) -> complex:
    """As the papers print them."""
    margin = label * score
    if loss == "squared":
        return (score - label) ** 2 / 2
    if loss == "logistic":  # so that neither end overflows
        return np.log1p(np.exp(-margin)) if np.real(margin) > 0 else -margin + np.log1p(np.exp(margin))
    if loss == "hinge":
        return 1 - margin if np.real(margin) < 1 else 0 * margin
    if np.real(margin) < 1 - h_bar:  # BLSGD, section V-C
        return 1 - margin
    if abs(1 - np.real(margin)) <= h_bar:
        return (1 + h_bar - margin) ** 2 / (4 * h_bar)
    return 0 * margin


def test_values_by_hand() -> None:
    assert [linear_loss(HUBER_SVM, 0.5, at, 1.0) for at in (-1.0, 0.5, 1.0, 1.5, 2.0)] == [2.0, 0.5, 0.125, 0.0, 0.0]
    assert [slope(HUBER_SVM, 0.5, at, 1.0) for at in (-1.0, 0.5, 1.0, 1.5, 2.0)] == [-1.0, -1.0, -0.5, 0.0, 0.0]
    assert [linear_loss(HINGE, 0.5, at, -1.0) for at in (-2.0, -1.0, 0.0, 3.0)] == [0.0, 0.0, 1.0, 4.0]
    assert [slope(HINGE, 0.5, at, -1.0) for at in (-2.0, -1.0, 0.0, 3.0)] == [0.0, 0.0, 1.0, 1.0]
    assert (linear_loss(SQUARED, 0.5, 3.0, 1.0), slope(SQUARED, 0.5, 3.0, 1.0)) == (2.0, 2.0)
    assert linear_loss(LOGISTIC, 0.5, 0.0, 1.0) == pytest.approx(math.log(2), rel=1e-15)
    assert slope(LOGISTIC, 0.5, 0.0, -1.0) == 0.5
    assert linear_loss(LOGISTIC, 0.5, -1e308, 1.0) == 1e308


@pytest.mark.parametrize("label", [-1.0, 1.0])
@pytest.mark.parametrize(("loss", "h_bar"), CASES)
def test_losses_and_slopes_agree_with_the_twin_and_complex_steps(loss: str, h_bar: float, label: float) -> None:
    code = LINEAR_LOSSES[loss]
    for score in SCORES:
        expected, step = twin(loss, h_bar, score, label), twin(loss, h_bar, complex(score, STEP), label)
        assert linear_loss(code, h_bar, score, label) == pytest.approx(expected, rel=1e-14, abs=1e-30)
        if not (loss == "hinge" and score == label):  # at its kink any subgradient will do
            assert slope(code, h_bar, score, label) == pytest.approx(np.imag(step) / STEP, rel=1e-13, abs=1e-13)
    if loss == "logistic":
        found = [slope(code, h_bar, score, 1.0) for score in SCORES]
        assert found == pytest.approx(-expit(-np.array(SCORES)), rel=1e-14, abs=1e-300)


@pytest.mark.parametrize(("loss", "h_bar"), CASES)
def test_slopes_agree_with_central_differences(loss: str, h_bar: float) -> None:
    code, step = LINEAR_LOSSES[loss], 1e-5
    for score in np.linspace(-3.003, 3.003, 20).tolist():  # off the kinks
        ends = [linear_loss(code, h_bar, score + move, 1.0) for move in (-step, step)]
        assert slope(code, h_bar, score, 1.0) == pytest.approx((ends[1] - ends[0]) / (2 * step), abs=1e-9)


@given(st.sampled_from(CASES), st.floats(-700, 700), st.floats(-700, 700), st.sampled_from([-1.0, 1.0]))
def test_they_are_convex_above_their_tangents_and_never_negative(case, first, second, label) -> None:
    (loss, h_bar), code = case, LINEAR_LOSSES[case[0]]
    here, there = linear_loss(code, h_bar, first, label), linear_loss(code, h_bar, second, label)
    tangent = here + slope(code, h_bar, first, label) * (second - first)
    assert there >= tangent - 1e-12 * (1 + abs(tangent) + abs(here))
    assert here >= 0
    if loss != "squared":
        assert abs(slope(code, h_bar, first, label)) <= 1
