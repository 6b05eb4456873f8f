"""Logistic regression by Newton's method, against its definition."""

import numpy as np
import pytest
from scipy import special

from auditors.privacy.event import learned

RNG = np.random.default_rng(0)
SIDES = RNG.normal(size=(9000, 3)) + np.array([0.3, 0.0, -0.2]), RNG.normal(size=(9000, 3))
PARTS = [lambda values, column=column: values[:, column] for column in range(3)]


def fitted():
    return learned.fit(PARTS, np.zeros(3), np.ones(3), SIDES)


def test_the_posterior_has_no_slope_at_the_weights():
    """With the constant, which `fit` leaves out, found again by bisection of its own equation."""
    weights, _ = fitted()
    x, target = np.concatenate(SIDES), np.repeat([1.0, 0.0], 9000)
    low, high = -2.0, 2.0
    for _ in range(60):
        constant = 0.5 * (low + high)
        slope = float(np.sum(target - special.expit(x @ weights + constant)) - constant)
        low, high = (constant, high) if slope > 0 else (low, constant)
    slopes = x.T @ (target - special.expit(x @ weights + constant)) - weights
    assert np.abs(slopes).max() < 1e-3 * 9000**0.5


@pytest.mark.parametrize("most", [0, 2**25])
def test_what_is_kept_between_steps_changes_no_bit(monkeypatch, most):
    expected = fitted()
    monkeypatch.setattr(learned, "MOST_KEPT", most)
    calls = []
    watched = [lambda values, part=part: calls.append(1) or part(values) for part in PARTS]
    found = learned.fit(watched, np.zeros(3), np.ones(3), SIDES)
    assert all((one == other).all() for one, other in zip(found, expected, strict=True))
    once = 3 * 2 * 2  # parts, sides, pieces
    assert len(calls) == once if most else len(calls) > once


def test_weights_of_a_kind_that_scatter_no_more_than_their_errors_go_to_zero():
    information = 400.0 * np.eye(4)
    weights = np.array([0.05, -0.05, 0.8, 0.05])
    found = learned.shrunk(weights, information, ["x", "x", "clip", ""])
    assert np.abs(found[:2]).max() < 1e-3
    assert found[2] == pytest.approx(0.8, rel=0.01)
    assert found[3] == pytest.approx(0.05)
