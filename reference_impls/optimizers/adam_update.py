"""One step of Adam (Kingma & Ba 2014, Algorithm 1), for whatever gradient it is given."""

from __future__ import annotations

from typing import Annotated

import numpy as np
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
) -> tuple[Float, tuple[Float, Float]]:
    """The next weights, shape (d,), and the next moving averages of the gradient and of its square.

    Parameters
    ----------
    moments : two float64, shape (d,)
        The moving averages; zeros before the first step.
    step : int
        Number of the step, from 1: the averages are corrected for their start at zero.
    step_size, beta1, beta2, stabiliser : float
        Adam's alpha, its two decay rates, its epsilon.
    """
    first = beta1 * moments[0] + (1.0 - beta1) * gradient
    second = beta2 * moments[1] + (1.0 - beta2) * gradient**2
    mean, square = first / (1.0 - beta1**step), second / (1.0 - beta2**step)
    return weights - step_size * mean / (np.sqrt(square) + stabiliser), (first, second)
