"""Logistic regression: the loss log(1 + exp(-z)) of the margin z = y w.x (BLSGD, section V-A).

Convex and smooth, unbounded above (so the line search clips it), slope in (-1, 0).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from reference_impls.models.margin import MarginModel

Float = NDArray[np.float64]


@njit(cache=True, nogil=True)
def logistic_losses(at: Float) -> Float:
    """log(1 + exp(-z)) for margins `at`, shape (n,); no overflow at either end."""
    out = np.empty(at.size)
    for i in range(at.size):
        out[i] = math.log1p(math.exp(-abs(at[i]))) + max(-at[i], 0.0)
    return out


@njit(cache=True, nogil=True)
def logistic_slopes(at: Float) -> Float:
    """Its derivative by the margin, -1 / (1 + exp(z)), shape (n,); no overflow at either end."""
    out = np.empty(at.size)
    for i in range(at.size):
        small = math.exp(-abs(at[i]))
        out[i] = -(small if at[i] >= 0.0 else 1.0) / (1.0 + small)
    return out


MODEL = MarginModel(name="logistic", losses=logistic_losses, slopes=logistic_slopes)
