"""The privacy of RSGD's noise: a Gaussian mechanism whose sensitivity is random, and the noise for a budget.

Rests on Lemma 3 (DISS Lemma 3.2) and Proposition 3 (DISS Theorem 3.2, (3.9)): after a random permutation the replaced
record is in batch j with probability q_j, so

    e^((alpha - 1) epsilon) = H_alpha <= sum_j q_j exp(alpha (alpha - 1) Delta[j]^2 / (2 sigma^2)).

The papers' ComputeH adds up the exponentials, which overflow from alpha (alpha - 1) Delta^2 > 1419 sigma^2; here the
sum is computed in logarithms. Side of the error: never below the formula. Assumption: q is public, j is not.

Not to be confused with amplification by sampling: every record is used, and only its batch is random.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from dpverify.accounting.steps.gaussian import MixtureStep
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

SMALLEST = 1e-100
"""The smallest sensitivity that `sigma_for` accepts; the largest is its inverse. Their squares are doubles."""


def mixture(shifts: Float, weights: Float, sigma: float) -> MixtureStep:
    """The step that accountants read: part j with probability weights[j] and L2 sensitivity shifts[j], both (m,)."""
    return MixtureStep(weights=tuple(weights.tolist()), shifts=tuple(shifts.tolist()), sigma=sigma)


def renyi(order: float, shifts: Float, weights: Float, sigma: float) -> float:
    """epsilon at `order` > 1, in nats: (3.9), and COMPUTEPRIVACY of DISS's Algorithm 3.2."""
    return float(mixture(shifts, weights, sigma).renyi(np.array([order]))[0])


def sigma_for(order: float, epsilon: float, shifts: Float, weights: Float) -> float:
    """The least standard deviation, to 12 digits and not below, at which the bound at `order` is `epsilon`.

    Raises
    ------
    InputError
        When a sensitivity is not finite, or too small or large for its square to be a double.
    """
    if not np.isfinite(shifts).all():
        raise InputError(
            "noise for an unbounded sensitivity",
            allowed="a smooth loss with bounded gradients",
            remedy="take another model, or vouch for `lipschitz` and `smoothness`",
        )
    if not shifts.any():
        return 0.0
    if not SMALLEST <= shifts.max() <= 1.0 / SMALLEST:
        raise InputError(
            f"noise for a sensitivity of {shifts.max():.3g}",
            allowed=f"0, or {SMALLEST:g} to {1.0 / SMALLEST:g}",
            remedy="take another initial step, or give sigma",
        )
    most = math.sqrt(order / (2.0 * epsilon)) * float(shifts.max())  # as if all sensitivities were the largest
    least = math.sqrt(order / (2.0 * epsilon) * float(weights @ shifts**2))  # by Jensen's inequality, e^x being convex

    def above(log_sigma: float) -> float:
        return math.log(renyi(order, shifts, weights, math.exp(log_sigma))) - math.log(epsilon)

    low, high = math.log(least) - 1e-6, math.log(most) + 1e-6
    sigma = math.exp(float(brentq(above, low, high, xtol=1e-14, rtol=4e-15)))
    nudge = 1e-13
    while renyi(order, shifts, weights, sigma) > epsilon:
        sigma, nudge = sigma * (1.0 + nudge), 2.0 * nudge
    return sigma
