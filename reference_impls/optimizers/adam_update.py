"""One step of Adam (Kingma & Ba 2014, Algorithm 1), for whatever gradient it is given."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.rules import BELOW_ONE

Float = NDArray[np.float64]
DecayRate = Annotated[float, BELOW_ONE]
"""A decay rate of a moving average, in [0, 1)."""


def adam_update(
    weights: Float,
    gradient: Float,
    moments: tuple[Float, Float],
    step: int,
    *,
    step_size: float,
    beta1: float,
    beta2: float,
    stabiliser: float,
) -> Float:
    """The next weights, shape (d,).

    Parameters
    ----------
    moments : two float64, shape (d,)
        The moving averages of the gradient and of its square, which are changed; zeros before the first step.
    step : int
        Number of the step, from 1: the averages are corrected for their start at zero.
    step_size, beta1, beta2, stabiliser : float
        Adam's alpha, its two decay rates, its epsilon.
    """
    mean, square = moments
    if not weights.shape == gradient.shape == mean.shape == square.shape:
        raise ValueError(f"shapes {weights.shape}, {gradient.shape}, {mean.shape}, {square.shape} of Adam's arrays")
    out = np.empty_like(weights)
    first, second = 1.0 - beta1**step, 1.0 - beta2**step
    _update(out, mean, square, weights, gradient, step_size, beta1, beta2, first, second, stabiliser)
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def _update(
    out: Float,
    mean: Float,
    square: Float,
    weights: Float,
    gradient: Float,
    step_size: float,
    beta1: float,
    beta2: float,
    first: float,
    second: float,
    stabiliser: float,
) -> None:
    """Without arrays in between; two loops, which run on vectors; `first` and `second` divide the averages."""
    for j in range(out.size):
        mean[j] = beta1 * mean[j] + (1.0 - beta1) * gradient[j]
        square[j] = beta2 * square[j] + (1.0 - beta2) * (gradient[j] * gradient[j])
    for j in range(out.size):
        out[j] = weights[j] - step_size * (mean[j] / first) / (np.sqrt(square[j] / second) + stabiliser)
