"""The largest bound among all sessions, by looking closely at few of them: PrivBR repaired needs it in every step.

For k = 1, one-hot labels and a ReLU network a session's bound is twice the largest ``p_i |D_i - D|``, where D_i is the
gradient of document i's score and D the mean ``sum_j p_j D_j``. A kernel computes it for all sessions in float32, each
between two bounds, and passes over documents that a cheaper upper bound rules out. Where the upper bound reaches the
largest lower bound, the session's bound is computed as :func:`~reference_impls.ranking.prefix_gradients.prefix_norms`
does: for one or two sessions. So the result has the same bits as a pass over all sessions by that function.

The bounds allow for float32: a unit whose input is within its rounding error of 0 may be on or off, scores are off by
what their sums round, and `ROOM` of the gradients' lengths is left. What is not finite counts as inf.

A document's gradient has the parts ``b_i x_i^T``, b_i and a_i (:mod:`reference_impls.ranking.scorers.mlp`). The cheaper
bounds: ``|D_i - D| <= (1 - p_i) |D_i| + sum over the others of p_j |D_j|``; and with means x, b and a the first part of
D_i - D is ``b_i (x_i - x)^T + (b_i - b) x^T`` less ``sum_j p_j (b_j - b) (x_j - x)^T``, which is at most the product of
the root mean squares of |b_j - b| and |x_j - x|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.datasets.sessions import Sessions
from reference_impls.models.linear import SUMS
from reference_impls.ranking.scorers.mlp import MlpScorer

Float = NDArray[np.float64]
Single = NDArray[np.float32]
Integer = NDArray[np.int64]

CHUNK = 512
"""Documents whose hidden layers are computed together; they stay in the cache. A longer session is taken whole."""
UNIT = 2.0**-24
"""Unit roundoff of float32: a sum of k products, of numbers that were rounded to float32 before, is off by less than
k + 4 units of the sum of their sizes."""
ROOM = 1e-3
"""What is left between bounds, relative to the lengths of the gradients."""
TINY, FLOOR = 1e-36, 1e-15
"""Float32 underflows below the first; a length, the root of a sum of squares that underflow, is off by less than the
second, for |W2| up to 1."""


def largest_bound(scorer: MlpScorer, weights: Float, sessions: Sessions, bound: Callable[[Float], float]) -> float:
    """The maximum of `bound` over the documents of all sessions.

    Parameters
    ----------
    scorer : MlpScorer
        With ReLU.
    bound : callable
        Documents of a session, shape (n, d), to a session's bound, for k = 1 and one-hot labels.
    """
    if not np.isfinite(weights).all():
        return max(bound(sessions.documents_of(j)) for j in range(sessions.count))
    above, _ = screened(scorer, weights, sessions)
    largest = -math.inf
    for j in np.argsort(-above, kind="stable").tolist():
        if above[j] < largest:
            break
        largest = max(largest, bound(sessions.documents_of(j)))
    return largest


def screened(scorer: MlpScorer, weights: Float, sessions: Sessions) -> tuple[Float, float]:
    """An upper bound on the bound of each session that may have the largest, 0 for others, shape (m,); and a lower
    bound on the largest."""
    first, columns = scorer.width * sessions.columns, sessions.columns
    above, below = np.zeros(sessions.count), 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is looked at in any case
        rows = weights[:first].reshape(scorer.width, columns)
        longest = math.sqrt(float(np.einsum("ij,ij->i", rows, rows).max()))
        matrix = rows.T.astype(np.float32)
        bias, out = weights[first : -scorer.width].astype(np.float32), weights[-scorer.width :].astype(np.float32)
        sizes = longest, float(np.abs(bias).max())
        for start, end in chunks(sessions.offsets):
            offsets = sessions.offsets[start : end + 1]
            documents = sessions.documents[offsets[0] : offsets[-1]].astype(np.float32)
            hidden = documents @ matrix
            hidden += bias
            below = _screen(above[start:end], hidden, documents, out, offsets - offsets[0], sizes, below)
    return 2.0 * above, 2.0 * below


def chunks(offsets: Integer) -> Iterator[tuple[int, int]]:
    """The sessions in order, as many at a time as have `CHUNK` documents together, or one that has more."""
    start = 0
    while start < offsets.size - 1:
        end = max(int(np.searchsorted(offsets, offsets[start] + CHUNK, side="right")) - 1, start + 1)
        yield start, end
        start = end


@njit(cache=True, nogil=True, fastmath=SUMS)
def _unit_sums(hidden: Single, out: Single, near: float) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Of one document: its score, |a|^2, |b|^2, and the part of |W2|^2 whose units may be on or off."""
    score, activation, slope, unsure = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    edge, nothing = np.float32(near), np.float32(0)
    for m in range(out.size):
        unit = max(hidden[m], nothing)
        square = out[m] * out[m]
        score += out[m] * unit
        activation += unit * unit
        slope += square if hidden[m] > nothing else nothing
        unsure += square if abs(hidden[m]) <= edge else nothing
    return score, activation, slope, unsure


@njit(cache=True, nogil=True, fastmath=SUMS)
def _product(one: Single, two: Single) -> np.float32:
    total = np.float32(0)
    for j in range(one.size):
        total += one[j] * two[j]
    return total


@njit(cache=True, nogil=True, fastmath=SUMS)
def _apart(one: Single, two: Single) -> np.float32:
    """``|one - two|^2``."""
    total = np.float32(0)
    for j in range(one.size):
        total += (one[j] - two[j]) * (one[j] - two[j])
    return total


@njit(cache=True, nogil=True, fastmath=SUMS)
def _add(total: Single, share: float, row: Single) -> None:
    factor = np.float32(share)
    for j in range(row.size):
        total[j] += factor * row[j]


@njit(cache=True, nogil=True, fastmath=SUMS)
def _split(hidden: Single, out: Single, slopes: Single) -> None:
    """Turn a document's hidden units into a, and write b."""
    nothing = np.float32(0)
    for m in range(out.size):
        slopes[m] = out[m] if hidden[m] > nothing else nothing
        hidden[m] = max(hidden[m], nothing)


@njit(cache=True, nogil=True)
def _screen(
    above: Float,
    hidden: Single,
    documents: Single,
    out: Single,
    offsets: Integer,
    sizes: tuple[float, float],
    below: float,
) -> float:
    """Write half of the upper bounds of a chunk's sessions; give half of the largest lower bound, from `below` on.

    `sizes` are the longest row of W1 and the largest |b1|; `hidden` is used up.
    """
    longest, largest = sizes
    width, columns = out.size, documents.shape[1]
    most = np.diff(offsets).max()
    chances, squares, lengths, unsure = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    slopes, zero = np.empty((most, width), dtype=np.float32), np.float32(0)
    mean_a, mean_b = np.empty(width, dtype=np.float32), np.empty(width, dtype=np.float32)
    mean_x, mean = np.empty(columns, dtype=np.float32), np.empty((columns, width), dtype=np.float32)
    inner, outer = (columns + 4) * UNIT, (width + 4) * UNIT
    reach = math.sqrt(_product(out, out)) * (1.0 + outer)
    floor = FLOOR * (1.0 + reach)
    for j in range(above.size):
        first, size = offsets[j], offsets[j + 1] - offsets[j]
        top, error, farthest = -math.inf, 0.0, 0.0
        for i in range(size):
            row = first + i
            feature = _product(documents[row], documents[row]) * (1.0 + inner)
            near = inner * (longest * math.sqrt(feature) + largest) + TINY
            chances[i], active, squares[i], open_units = _unit_sums(hidden[row], out, near)
            lengths[i] = math.sqrt(active + squares[i] * (1.0 + feature))
            unsure[i] = math.sqrt(open_units * (1.0 + feature)) + math.sqrt(width) * near
            top = max(top, chances[i])
            farthest = max(farthest, lengths[i] + unsure[i])
            error = max(error, reach * (outer * math.sqrt(active) + math.sqrt(width) * near))
        total, room, others = 0.0, 0.0, 0.0
        for i in range(size):
            chances[i] = math.exp(chances[i] - top)
            total += chances[i]
        for i in range(size):
            chances[i] /= total
            room += chances[i] * unsure[i]
            others += chances[i] * lengths[i]
        slack = math.exp(4.0 * error)  # of a product of two chances
        hopeful = False
        for i in range(size):
            left = floor + ROOM * (lengths[i] + farthest) + room + unsure[i]
            highest = slack * chances[i] * ((1.0 - 2.0 * chances[i]) * lengths[i] + others + left)
            hopeful = hopeful or not highest < below
        if not hopeful:
            continue
        mean_a[:], mean_b[:], mean_x[:], mean[:] = zero, zero, zero, zero
        for i in range(size):
            _split(hidden[first + i], out, slopes[i])
            _add(mean_a, chances[i], hidden[first + i])
            _add(mean_b, chances[i], slopes[i])
            _add(mean_x, chances[i], documents[first + i])
        spread_b, spread_x = 0.0, 0.0
        for i in range(size):
            spread_b += chances[i] * _apart(slopes[i], mean_b)
            spread_x += chances[i] * _apart(documents[first + i], mean_x)
        crossed = math.sqrt(spread_b * spread_x)
        length_x, have_mean = _product(mean_x, mean_x), False
        for i in range(size):
            left = floor + ROOM * (lengths[i] + farthest) + room + unsure[i]
            bare, from_x = _apart(slopes[i], mean_b), _apart(documents[first + i], mean_x)
            turned = (squares[i] - _product(slopes[i], mean_b)) * (_product(documents[first + i], mean_x) - length_x)
            part = math.sqrt(max(squares[i] * from_x + bare * length_x + 2.0 * turned, 0.0)) + crossed
            same = _apart(hidden[first + i], mean_a) + bare
            highest = slack * chances[i] * (math.sqrt(same + part * part) + left)
            if highest < below:
                continue
            if not have_mean:
                have_mean = True
                for h in range(size):
                    for c in range(columns):
                        _add(mean[c], chances[h] * documents[first + h, c], slopes[h])
            square = 0.0
            for c in range(columns):
                square += _scaled_apart(slopes[i], documents[first + i, c], mean[c])
            distance = math.sqrt(same + square)
            highest = slack * chances[i] * (distance + left)
            if not highest <= above[j]:  # nan, too
                above[j] = highest if highest < math.inf else math.inf
            lowest = chances[i] * (distance - left) / slack
            if lowest > below and highest < math.inf:
                below = lowest
    return below


@njit(cache=True, nogil=True, fastmath=SUMS)
def _scaled_apart(one: Single, factor: float, two: Single) -> float:
    """``|factor one - two|^2``."""
    total = np.float32(0)
    for j in range(one.size):
        total += (factor * one[j] - two[j]) * (factor * one[j] - two[j])
    return float(total)
