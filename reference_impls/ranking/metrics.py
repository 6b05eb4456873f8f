"""NDCG@k and MAP@k of a ranking (DISS (6.1), (6.2)), as printed, with conventions where the print is open.

``DCG@k = sum over i <= k of (2^y_i - 1) / log(i + 1)``; NDCG@k divides it by the largest possible DCG@k. Conventions
here: a session whose largest DCG is 0 (all labels 0) has NDCG 0; sums stop at the end of a short session. NDCG is in
[0, 1] for labels >= 0; the text also allows negative labels (y in R), for which gains are negative and NDCG@k leaves
[0, 1].

MAP@k **as printed** divides by the number of relevant documents at places ``i < k`` while it sums over ``i <= k``: a
relevant document at place k counts in the sum and not in the divisor, and MAP@2 of two relevant documents is 2.
:func:`average_precision` with ``printed=False`` divides by those at ``i <= k``; the example in the text fits both.
Without a relevant document MAP is 0.

Rankings are orders of document indices, best first. Among equal scores, the document that comes first is ranked first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


def ranking(scores: Float) -> Integer:
    """Indices of the documents in order of falling scores, shape (n,)."""
    return np.argsort(-scores, kind="stable")


def discounts(k: int) -> Float:
    """1 / log(i + 1) for i = 1 .. k, base 2, so that the first is 1 (the base cancels in NDCG)."""
    return np.asarray(1.0 / np.log2(np.arange(2.0, k + 2.0)))


def gains(labels: Float, k: int) -> Float:
    """Gains ``2^y - 1`` divided by the largest DCG@k, shape (n,); zeros where that is 0 (all labels 0)."""
    largest_label = max(float(labels.max()), 0.0)
    gained = np.exp2(labels - largest_label) - np.exp2(-largest_label)  # divided by 2^largest, so that none overflows
    top = np.sort(gained)[::-1][:k]
    largest = float(top @ discounts(top.size))
    return np.asarray(gained / largest) if largest != 0 else np.zeros(labels.size)


def ndcg(labels: Float, orders: Integer, k: int) -> Float:
    """NDCG@k of each ranking (or prefix of at least min(k, n) places): shape (N,) for `orders` of shape (N, >= k)."""
    _need_places(k)
    used = min(k, labels.size)
    return np.asarray(gains(labels, k)[orders[:, :used]] @ discounts(used))


def average_precision(labels: Float, order: Integer, k: int, *, printed: bool = False) -> float:
    """MAP@k of one ranking, see above; every label > 0 counts as relevant (DISS section 6.6.1)."""
    _need_places(k)
    relevant = labels[order] > 0
    hits = np.flatnonzero(relevant[:k])
    counted = int(np.count_nonzero(relevant[: k - 1 if printed else k]))
    precision = np.arange(1, hits.size + 1) / (hits + 1.0)
    return float(precision.sum() / counted) if counted else 0.0


def _need_places(k: int) -> None:
    if k < 1:
        raise InputError(f"a metric at {k} places", allowed="k >= 1")
