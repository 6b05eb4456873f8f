"""Adam's step: its first step in closed form, and numpy's arithmetic to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from reference_impls.optimizers.adam_update import adam_update

RNG = np.random.default_rng(2)


def test_the_first_step_is_the_step_size_in_each_direction() -> None:
    """Both corrected averages are the gradient's own, so the step is ``g / (|g| + epsilon)``; zero stays."""
    gradient, moments = np.array([3.0, -1e-3, 0.0]), (np.zeros(3), np.zeros(3))
    found = adam_update(np.zeros(3), gradient, moments, 1, step_size=0.1, beta1=0.9, beta2=0.999, stabiliser=1e-8)
    assert found == pytest.approx([-0.1 * 3.0 / (3.0 + 1e-8), 0.1 * 1e-3 / (1e-3 + 1e-8), 0.0], rel=1e-12)


def test_steps_are_those_of_arrays() -> None:
    start = RNG.normal(size=5000)
    moments, first, second = (np.zeros(5000), np.zeros(5000)), np.zeros(5000), np.zeros(5000)
    expected = start
    weights = start.copy()
    for step in range(1, 6):
        gradient = RNG.normal(size=5000)
        weights = adam_update(weights, gradient, moments, step, step_size=0.01, beta1=0.9, beta2=0.99, stabiliser=1e-8)
        first, second = 0.9 * first + (1.0 - 0.9) * gradient, 0.99 * second + (1.0 - 0.99) * gradient**2
        mean, square = first / (1.0 - 0.9**step), second / (1.0 - 0.99**step)
        expected = expected - 0.01 * mean / (np.sqrt(square) + 1e-8)
        assert (weights == expected).all()
    assert (moments[0] == first).all()
    assert (moments[1] == second).all()


def test_weights_that_were_given_stay() -> None:
    weights = np.ones(3)
    adam_update(weights, np.ones(3), (np.zeros(3), np.zeros(3)), 1, step_size=1.0, beta1=0.0, beta2=0.0, stabiliser=1.0)
    assert weights.tolist() == [1.0, 1.0, 1.0]


def test_arrays_of_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shapes \(4,\), \(2,\)"):
        adam_update(
            np.zeros(4), np.ones(2), (np.zeros(4), np.zeros(4)), 1, step_size=1.0, beta1=0.0, beta2=0.0, stabiliser=1.0
        )
