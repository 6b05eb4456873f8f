"""The two sequences of ADP-SGD, b_t (step sizes eta / b_t) and alpha_t (noise), and their noise cost (7).

    M(alpha, b) = sum_t (alpha_t / b_t)^2 * sum_t 1 / alpha_t^2

By Cauchy-Schwarz M >= (sum_t 1 / b_t)^2, with equality exactly when alpha_t^2 is proportional to b_t (Remark 4.1,
(8); ledger AP-OPT). The second choice that the text names after it, ``alpha_t alpha_{T-(t-1)} = b_t``, exists only
where b is symmetric, b_t = b_{T-(t-1)}, and reaches the least M only where ``alpha_t^2 = b_t`` anyway (AP-ALT): its M
is ``(sum 1 / alpha_t^2)^2``, so equality in Cauchy-Schwarz needs ``alpha_t = alpha_{T-(t-1)}``. With b_t = sqrt(a + c
t), c > 0, it does not exist, so it is not offered.

As printed, section 3 gives "phi_1 is 1 / sqrt(a + c t)" for decaying steps; steps are eta / b, so b is
``sqrt(a + c t)`` here as in section 5.1. In Algorithm 1 the first step uses b_1 and alpha_1, so t runs from 1 to T.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError

Float = NDArray[np.float64]
Alpha = Literal["sqrt-b", "one", "zero"]


def polynomial(a: float, c: float, steps: int) -> Float:
    """sqrt(a + c t) for t = 1 .. T, shape (T,): section 5.1."""
    return np.asarray(np.sqrt(a + c * np.arange(1, steps + 1)))


def alphas(choice: Alpha, b: Float) -> Float:
    """alpha_1 .. alpha_T, shape (T,): ``sqrt-b`` is ADP-SGD, ``one`` DP-SGD, ``zero`` plain SGD (section 3)."""
    match choice:
        case "sqrt-b":
            return np.sqrt(b)
        case "one":
            return np.ones_like(b)
        case "zero":
            return np.zeros_like(b)
    raise InputError(f"alpha = {choice!r}", allowed=", ".join(get_args(Alpha)))


def noise_cost(alpha: Float, b: Float) -> float:
    """M(alpha, b) of (7); both of shape (T,), > 0."""
    return float(np.sum((alpha / b) ** 2) * np.sum(1.0 / alpha**2))


def least_noise_cost(b: Float) -> float:
    """(sum 1 / b_t)^2, M_adp of (8): the least M over alpha."""
    return float(np.sum(1.0 / b)) ** 2


def boosts(beta: float, steps: int, *, period: int = 195) -> Float:
    """beta_t = max(beta / ((t mod 195) + 1), 1) for t = 0 .. T - 1, shape (T,): section 6.2."""
    return np.asarray(np.maximum(beta / (np.arange(steps) % period + 1.0), 1.0))
