"""Probabilities of the first k places of a ranking under Plackett-Luce (DISS (6.3), (6.4)), and their gradients.

With scores s and psi = exp, ``p(<j_1 .. j_k>) = prod_t exp(s_{j_t}) / r_t``, where r_t is the sum of exp over all
documents but j_1 .. j_{t-1}; the probabilities of the n! / (n - k)! prefixes sum to one. The gradient is printed in
DISS section 6.5.3, correctly: ``dp/ds_d = p ([d in prefix] - sum over t <= min(rank(d), k) of exp(s_d) / r_t)``,
rank(d) being d's place in the prefix.

For k = 1 closed forms take O(n); for k > 1 all prefixes are enumerated, O(k n) each. In a session of fewer than k
documents, a prefix is an order of all of them. Sums run over the remaining documents, in log space, so nothing is lost
to cancellation where one score dominates.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.errors import InputError

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
MOST = 5_000_000
"""The most numbers that a Jacobian may have."""


def prefixes(documents: int, k: int) -> Integer:
    """All ordered choices of min(k, n) of n documents in lexicographic order, shape (n! / (n - k)!, min(k, n)).

    Raises
    ------
    InputError
        For k < 1, for no documents, or when the Jacobian would have more than `MOST` numbers.
    """
    if documents < 1 or k < 1:
        raise InputError(f"the first {k} places of {documents} documents", allowed="at least one of each")
    length = min(k, documents)
    if math.perm(documents, length) * documents > MOST:
        raise InputError(
            f"the first {k} places of {documents} documents: {math.perm(documents, length)} prefixes",
            allowed=f"at most {MOST // documents}",
            remedy="take k = 1, as the paper does in practice",
        )
    return np.asarray(_prefixes(documents, length, math.perm(documents, length)))


def top_one(scores: Float) -> Float:
    """p of each document being first, shape (n,): the softmax."""
    grown = np.exp(scores - scores.max())
    return np.asarray(grown / grown.sum())


def top_k(scores: Float, k: int) -> tuple[Integer, Float]:
    """All prefixes and their probabilities, shapes (N, min(k, n)) and (N,); InputError as :func:`prefixes`."""
    if k == 1:
        return prefixes(scores.size, 1), top_one(scores)
    listed = prefixes(scores.size, k)
    return listed, np.exp(_log_probabilities(scores, listed))


def log_permutation(scores: Float, order: Integer) -> float:
    """log of (6.3): the probability of one order of all documents (or of a prefix), shape (<= n,)."""
    return float(_log_probabilities(scores, np.asarray(order, dtype=np.int64)[None, :])[0])


def jacobian(scores: Float, listed: Integer) -> Float:
    """dp/ds for each prefix (row) and document (column), shape (N, n)."""
    return np.asarray(_jacobian(scores, listed))


def log_slopes(scores: Float, order: Integer) -> Float:
    """d log p(order) / ds, shape (n,), for one prefix or one order of all documents."""
    return np.asarray(_brackets(scores, np.asarray(order, dtype=np.int64)))


@njit(cache=True, nogil=True)
def _prefixes(documents: int, length: int, count: int) -> Integer:
    out = np.empty((count, length), dtype=np.int64)
    current = np.arange(length)
    used = np.zeros(documents, dtype=np.bool_)
    used[:length] = True
    for row in range(count):
        out[row] = current
        place = length - 1
        while place >= 0:  # raise the last entry that can be raised, then fill up with the smallest unused
            used[current[place]] = False
            following = current[place] + 1
            while following < documents and used[following]:
                following += 1
            if following < documents:
                current[place] = following
                used[following] = True
                break
            place -= 1
        if place < 0:
            break
        smallest = 0
        for later in range(place + 1, length):
            while used[smallest]:
                smallest += 1
            current[later] = smallest
            used[smallest] = True
    return out


@njit(cache=True, nogil=True)
def _log_rest(scores: Float, left: NDArray[np.bool_]) -> float:
    """log of the sum of exp over the remaining documents."""
    top = -np.inf
    for i in range(scores.size):
        if left[i] and scores[i] > top:
            top = scores[i]
    total = 0.0
    for i in range(scores.size):
        if left[i]:
            total += math.exp(scores[i] - top)
    return top + math.log(total)


@njit(cache=True, nogil=True)
def _log_probabilities(scores: Float, listed: Integer) -> Float:
    out = np.zeros(listed.shape[0])
    for row in range(listed.shape[0]):
        left = np.ones(scores.size, dtype=np.bool_)
        for place in range(listed.shape[1]):
            out[row] += scores[listed[row, place]] - _log_rest(scores, left)
            left[listed[row, place]] = False
    return out


@njit(cache=True, nogil=True)
def _brackets(scores: Float, order: Integer) -> Float:
    """The braces of section 6.5.3 for each document: 1 if it is in the prefix, minus its shares up to its place."""
    out = np.zeros(scores.size)
    left = np.ones(scores.size, dtype=np.bool_)
    for place in range(order.size):
        rest = _log_rest(scores, left)
        chosen = order[place]
        others = 0.0
        for i in range(scores.size):
            if left[i] and i != chosen:
                share = math.exp(scores[i] - rest)
                out[i] -= share
                others += share
        out[chosen] += others  # 1 - its own share, without cancellation
        left[chosen] = False
    return out


@njit(cache=True, nogil=True)
def _jacobian(scores: Float, listed: Integer) -> Float:
    logs = _log_probabilities(scores, listed)
    out = np.empty((listed.shape[0], scores.size))
    for row in range(listed.shape[0]):
        out[row] = math.exp(logs[row]) * _brackets(scores, listed[row])
    return out
