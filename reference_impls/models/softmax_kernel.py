"""Kernels of softmax regression: losses, gradient norms and clipped sums, four records at a time.

Four records share each pass over the weights, and each pass over the sum of the gradients: weights and sum take 63 kB
each on MNIST, more than the fastest memory holds. A batch that is no multiple of four is filled up with its last
record; the copies get a share of 0. LLVM may reorder sums, so rounding depends on the processor.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from reference_impls.models.linear import SUMS
from reference_impls.models.row_lengths import SQUARES

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
SMALLEST = SQUARES[0]


@njit(cache=True, nogil=True, error_model="numpy")
def add_clipped_softmax_gradient(
    out: Float, clip: float, weights: Float, features: Float, labels: Float, norms: Float, batch: Integer
) -> None:
    """Add the clipped gradients of the records in `batch` to `out`, shape (K, d); `norms` are the rows' L2 norms."""
    shares = np.empty((4, out.shape[0]))
    for begin in range(0, batch.size, 4):
        rows = _four(features, batch, begin)
        _write_scores(shares, weights, rows)
        for place in range(4):
            if begin + place >= batch.size:
                shares[place] = 0.0
                continue
            record = batch[begin + place]
            size, _ = _residual(shares[place], int(labels[record]))
            if size != size:
                shares[place] = 0.0
            elif size * norms[record] > clip:
                shares[place] *= clip / (size * norms[record])
        _add_products(out, shares, rows)


@njit(cache=True, nogil=True, error_model="numpy")
def norms_and_losses(
    norms: Float, losses: Float, weights: Float, features: Float, labels: Float, batch: Integer
) -> None:
    """Write |p - e_y| and the loss of the records in `batch` into `norms` and `losses`, shape (k,)."""
    scores = np.empty((4, weights.shape[0]))
    for begin in range(0, batch.size, 4):
        _write_scores(scores, weights, _four(features, batch, begin))
        for k in range(begin, min(begin + 4, batch.size)):
            norms[k], losses[k] = _residual(scores[k - begin], int(labels[batch[k]]))


@njit(cache=True, nogil=True, error_model="numpy")
def _four(features: Float, batch: Integer, begin: int) -> tuple[Float, Float, Float, Float]:
    """The features of four records of the batch, its last one for those beyond its end."""
    last = batch.size - 1
    return (
        features[batch[begin]],
        features[batch[min(begin + 1, last)]],
        features[batch[min(begin + 2, last)]],
        features[batch[min(begin + 3, last)]],
    )


@njit(cache=True, nogil=True, error_model="numpy", fastmath=SUMS)
def _write_scores(scores: Float, weights: Float, rows: tuple[Float, Float, Float, Float]) -> None:
    """Write w_k.x of four records into `scores`, shape (4, K)."""
    x0, x1, x2, x3 = rows
    for k in range(weights.shape[0]):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(weights.shape[1]):
            s0 += weights[k, j] * x0[j]
            s1 += weights[k, j] * x1[j]
            s2 += weights[k, j] * x2[j]
            s3 += weights[k, j] * x3[j]
        scores[0, k], scores[1, k], scores[2, k], scores[3, k] = s0, s1, s2, s3


@njit(cache=True, nogil=True, error_model="numpy", fastmath=SUMS)
def _add_products(out: Float, shares: Float, rows: tuple[Float, Float, Float, Float]) -> None:
    """Add the outer products of `shares`, shape (4, K), and the features to `out`, shape (K, d)."""
    x0, x1, x2, x3 = rows
    for k in range(out.shape[0]):
        s0, s1, s2, s3 = shares[0, k], shares[1, k], shares[2, k], shares[3, k]
        for j in range(out.shape[1]):
            out[k, j] += (s0 * x0[j] + s1 * x1[j]) + (s2 * x2[j] + s3 * x3[j])


@njit(cache=True, nogil=True, error_model="numpy")
def _residual(scores: Float, label: int) -> tuple[float, float]:
    """Turn the scores of a record, shape (K,), into p - e_y; return its L2 norm and the loss.

    Both are nan where scores overflow to inf - inf. A norm whose square underflows is that of the scaled vector: taken
    for zero, a long gradient would escape clipping.
    """
    top = -math.inf
    for k in range(scores.size):
        top = max(top, scores[k])
    below = top - scores[label]  # 0 where the true class leads
    rest = 0.0  # sum over the other classes: 1 - p_y keeps its digits when p_y is near 1
    for k in range(scores.size):
        scores[k] = math.exp(scores[k] - top)
        if k != label:
            rest += scores[k]
    own = scores[label]
    total = own + rest
    squares = 0.0
    for k in range(scores.size):
        scores[k] = -rest / total if k == label else scores[k] / total
        squares += scores[k] * scores[k]
    size = math.sqrt(squares)
    if squares < SMALLEST:
        longest = np.abs(scores).max()
        size = longest * math.sqrt(((scores / longest) ** 2).sum()) if longest > 0.0 else 0.0
    return size, math.log1p(rest) if own == 1.0 else below + math.log(total)
