"""Losses of a linear score w.x, as scalar kernels that whole-training kernels inline.

logistic     log(1 + exp(-y s)), y in {-1, +1} (BLSGD, section V-A).
huber-svm    the hinge loss with its kink rounded over |1 - y s| <= h_bar (BLSGD, section V-C).
hinge        max(0, 1 - y s).
squared      (s - y)^2 / 2, any y: linear regression.

All are convex in the score s; the first three are unbounded above and have slopes in [-1, 1]. Kernels get a loss as a
number (its code), so that each kernel is compiled once for all losses.
"""

from __future__ import annotations

import math

from numba import njit

LOGISTIC, HUBER_SVM, HINGE, SQUARED = 0, 1, 2, 3
LINEAR_LOSSES: dict[str, int] = {"logistic": LOGISTIC, "huber-svm": HUBER_SVM, "hinge": HINGE, "squared": SQUARED}


@njit(cache=True, nogil=True, forceinline=True)
def linear_loss(code: int, h_bar: float, score: float, label: float) -> float:
    """The loss at `score`; it overflows only where the loss itself does."""
    if code == SQUARED:
        return 0.5 * (score - label) * (score - label)
    at = label * score
    if code == LOGISTIC:
        return math.log1p(math.exp(-abs(at))) + max(-at, 0.0)
    short = 1.0 - at
    if code == HINGE or short > h_bar:
        return max(short, 0.0)
    if short >= -h_bar:
        return (short + h_bar) * (short + h_bar) / (4.0 * h_bar)
    return 0.0


@njit(cache=True, nogil=True, forceinline=True)
def linear_slope(code: int, h_bar: float, score: float, label: float) -> float:
    """Its derivative by the score (at the hinge's kink: 0, one of its subgradients)."""
    if code == SQUARED:
        return score - label
    at = label * score
    if code == LOGISTIC:
        small = math.exp(-abs(at))
        return -label * (small if at >= 0.0 else 1.0) / (1.0 + small)
    short = 1.0 - at
    if code == HINGE:
        return -label if short > 0.0 else 0.0
    return -label * min(max((short + h_bar) / (2.0 * h_bar), 0.0), 1.0)
