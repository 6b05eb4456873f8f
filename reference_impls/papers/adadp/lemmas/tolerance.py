"""What tol means where noise dominates (ADADP, "Choice of parameter tol", after (7)).

The full step and the two half steps differ by ``(eta / 2) (G_1 - G_2)``; where the noise N(0, 2 C^2 sigma^2 I) is all
of that difference (sqrt(d) >> |B|) the error (3) is about ``eta sigma C sqrt(d / 2)``. Set to tol, that gives
``eta^2 = 2 tol^2 / (sigma^2 C^2 d)``, and T such steps put noise of standard deviation ``sqrt(2 T / d) tol`` on each
coordinate. More exactly, eta_(l+1) is then 2 tol / |N_1 - N_2| whenever that is within [alpha_min, alpha_max] of
eta_l, so ``sigma^2 C^2 eta^2 / (2 tol^2)`` is one over a chi-square of d degrees: no dependence on eta_l is left.
(The text writes G_2's place as hat-theta_l; it is theta_(l+1/2).)

With the error (6), which Algorithm 2 takes, d becomes the sum of ``1 / max(1, theta_i^2)``: once coordinates leave
[-1, 1] there is no stationary step size. A normal theta of large standard deviation s makes that sum 1.6 d / s, so each
step adds 1.25 tol^2 s / d to s^2, and s grows like 0.63 tol^2 T / d: like T where the text has sqrt(T). The two agree
while 2 T tol^2 / d is below 1, as in the paper's experiments.

Limits: no gradients but the noise. Not to be confused with an optimal choice of tol.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError


def stationary_step(tol: float, *, noise_multiplier: float, clip: float, weights: ArrayLike) -> float:
    """The step size at which the expected error is about `tol`.

    Parameters
    ----------
    tol : float
        > 0.
    noise_multiplier, clip : float
        sigma and C, both > 0; the noise has standard deviation sigma C.
    weights : array-like, shape (d,)
        theta, for the error (6). Within [-1, 1], as zeros are, the error is (3)'s and only d counts.

    Raises
    ------
    InputError
        For numbers that are not positive, and no weights.
    """
    theta = np.asarray(weights, dtype=np.float64)
    if not (tol > 0 and noise_multiplier > 0 and clip > 0 and theta.size):
        raise InputError(
            f"tol = {tol}, sigma = {noise_multiplier}, C = {clip}, {theta.size} weights", allowed="numbers > 0"
        )
    counted = float(np.sum(1.0 / np.maximum(1.0, theta**2)))
    return math.sqrt(2.0 / counted) * tol / (noise_multiplier * clip)


def noise_after(steps: int, *, tol: float, dimension: int) -> float:
    """The standard deviation of a coordinate's noise after so many steps of the stationary size: sqrt(2 T / d) tol."""
    return math.sqrt(2.0 * steps / dimension) * tol
