"""Huberised support vector machine (BLSGD, section V-C): the hinge loss, its kink rounded over |1 - z| <= h, h = 0.5.

``1 - z`` for z < 1 - h, ``(1 + h - z)^2 / (4 h)`` in between, 0 beyond. Convex, once differentiable, unbounded above.

Not to be confused with the squared hinge loss, nor with the plain hinge of the paper's non-smooth SVM (h = 0).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from reference_impls.models.margin import MarginModel

Float = NDArray[np.float64]

H_BAR = 0.5
"""The paper's h-bar."""


@njit(cache=True, nogil=True)
def huber_svm_losses(at: Float) -> Float:
    """The loss for margins `at`, shape (n,)."""
    out = np.empty(at.size)
    for i in range(at.size):
        short = 1.0 - at[i]
        if short > H_BAR:
            out[i] = short
        elif short >= -H_BAR:
            out[i] = (short + H_BAR) * (short + H_BAR) / (4.0 * H_BAR)
        else:
            out[i] = 0.0
    return out


@njit(cache=True, nogil=True)
def huber_svm_slopes(at: Float) -> Float:
    """Its derivative by the margin, in [-1, 0], shape (n,)."""
    out = np.empty(at.size)
    for i in range(at.size):
        short = 1.0 - at[i]
        out[i] = -min(max((short + H_BAR) / (2.0 * H_BAR), 0.0), 1.0)
    return out


MODEL = MarginModel(name="huber-svm", losses=huber_svm_losses, slopes=huber_svm_slopes)
