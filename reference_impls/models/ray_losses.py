"""Sums of clipped losses at many points w - eta g of one ray, from the scores w.x and g.x alone, and their slopes.

The score at a point is ``w.x - eta g.x``, so a search needs two products with the table, whatever the number of points,
and then one loss for each record and point. The logistic loss falls with the margin m = y s, so it is clipped by
clipping the margin from below, and a block's losses ``log(1 + e^-|m|) + max(-m, 0)`` share one logarithm, that of a
product; what is left is one exponential each, without a branch, so that it runs on vectors.

Against :func:`~reference_impls.models.loss_sums.summed_loss` at the points themselves a sum is off by at most about
1e-15 for each record, 1e-15 of itself, and what the scores round. A loss of nan counts as the bound.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from reference_impls.models.linear import SUMS
from reference_impls.models.linear_loss import HUBER_SVM, LOGISTIC, linear_loss, linear_slope

Float = NDArray[np.float64]

BLOCK = 512
"""Records whose factors, each at most 2, are multiplied before a logarithm is taken: 2^512 is far from overflow."""
FLAT = 700.0
"""Beyond this margin e^-m is below 1e-304, and no longer normal soon after."""

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # the first has 32 zeros at its end
_TO_WHOLE = 6755399441055744.0  # 1.5 2^52: a sum with it has the nearest whole number in its last bits
_C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12, _C13 = (1.0 / math.factorial(k) for k in range(2, 14))


@njit(cache=True, fastmath={"contract"}, forceinline=True)
def exponential_of(x: float) -> float:
    """e^x for -700 <= x <= 700 within two units in the last place: a power of two times Taylor's polynomial."""
    shifted = x * _LOG2_E + _TO_WHOLE
    whole = shifted - _TO_WHOLE
    r = x - whole * _LN2_HIGH - whole * _LN2_LOW
    p = _C13 * r + _C12
    p = p * r + _C11
    p = p * r + _C10
    p = p * r + _C9
    p = p * r + _C8
    p = p * r + _C7
    p = p * r + _C6
    p = p * r + _C5
    p = p * r + _C4
    p = p * r + _C3
    p = p * r + _C2
    p = p * r + 1.0
    p = p * r + 1.0
    power = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    return p * power


@njit(cache=True, nogil=True, fastmath=SUMS)
def _logistic_block(scores: Float, along: Float, labels: Float, step: float, least: float) -> float:
    """The sum of at most `BLOCK` logistic losses, their margins clipped from below at `least`."""
    product = 1.0
    total = 0.0
    for i in range(scores.size):
        margin = labels[i] * (scores[i] - step * along[i])
        margin = margin if margin > least else least  # nan compares false, so it counts as the bound
        product *= 1.0 + exponential_of(-min(abs(margin), FLAT))
        total += max(-margin, 0.0)
    return total + math.log(product)


@njit(cache=True, nogil=True, fastmath=SUMS)
def _huber_block(h_bar: float, clip: float, scores: Float, along: Float, labels: Float, step: float) -> float:
    """The sum of clipped Huberised hinge losses: a parabola over |1 - m| <= h_bar, then a line, without a branch."""
    total = 0.0
    for i in range(scores.size):
        short = 1.0 - labels[i] * (scores[i] - step * along[i])
        rise = min(max(short, -h_bar), h_bar) + h_bar
        loss = rise * rise / (4.0 * h_bar) + max(short - h_bar, 0.0)
        total += loss if loss < clip else clip
    return total


@njit(cache=True, nogil=True)
def ray_sums(
    out: Float, code: int, h_bar: float, clip: float, scores: Float, along: Float, labels: Float, steps: Float
) -> None:
    """Write the sums over all records of min(loss, clip) at w - eta g, for each eta in `steps`, into `out`.

    Parameters
    ----------
    scores, along, labels : float64, shape (n,)
        w.x, g.x and the label of each record.
    clip : float
        > 0; inf for none.
    steps, out : float64, shape (k,)
    """
    least = -(clip + math.log(-math.expm1(-clip)))  # the margin whose logistic loss is `clip`
    out[:] = 0.0
    for start in range(0, scores.size, BLOCK):
        end = min(start + BLOCK, scores.size)
        at, by, marks = scores[start:end], along[start:end], labels[start:end]
        for k in range(steps.size):
            if code == LOGISTIC:
                out[k] += _logistic_block(at, by, marks, steps[k], least)
                continue
            if code == HUBER_SVM:
                out[k] += _huber_block(h_bar, clip, at, by, marks, steps[k])
                continue
            total = 0.0
            for i in range(at.size):
                loss = linear_loss(code, h_bar, at[i] - steps[k] * by[i], marks[i])
                total += loss if loss < clip else clip
            out[k] += total


@njit(cache=True, nogil=True, fastmath=SUMS)
def slopes_of(out: Float, code: int, h_bar: float, scores: Float, labels: Float) -> None:
    """Write every record's derivative of the loss by its score into `out`, shape (n,)."""
    if code != LOGISTIC:
        for i in range(out.size):
            out[i] = linear_slope(code, h_bar, scores[i], labels[i])
        return
    for i in range(out.size):
        odds = exponential_of(min(max(-labels[i] * scores[i], -FLAT), FLAT))
        out[i] = -labels[i] * (odds / (1.0 + odds))
