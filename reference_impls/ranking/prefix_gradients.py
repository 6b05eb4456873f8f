"""BayesRank's gradients of single prefixes, their norms, and how far new labels move their sum (DISS 6.5.3).

A session's accumulated gradient is ``G = sum over prefixes pi of NDCG@k(y, pi) g_pi`` with ``g_pi = sum_i dp_k(pi)/df_i
df_i/dtheta``, which does not depend on labels. For gains in [0, 1] a change of labels moves G by at most

- ``sum |g_pi|`` (section 6.5.3, last display); attained for two documents;
- the sum of the two largest ``|g_pi|`` for one-hot labels and k = 1 (section 6.5.5). For k > 1 the text gives no bound.
  Two norms are then too few, because a relevant document has gain in every prefix that contains it:
  :func:`two_documents` adds up the prefixes of each document, and takes the two documents with the largest sums.

Since the g_pi add up to zero, ``|G| <= sum |g_pi| / 2``: replacing a whole session by another moves G by at most the
larger of the two sums. So amplification by sampling is sound when the noise is scaled to a public maximum.

Rounding. Coefficients add up to 0, so gradients and norms are computed from differences ``D_i`` to the highest-scored
document. These stay accurate where one document has nearly all the probability, where documents have a large feature in
common, and where they nearly coincide. A norm ``|sum_i c_i D_i|`` comes from a Gram matrix, which rounds its square by
at most one unit roundoff for each operation times ``(sum_i |c_i| |D_i|)^2`` (Higham 2002, section 3.1). Several times
this bound (to cover the rounding of G, too) is added to the square, so norms are never too small. The rounding of
probabilities, activations and slopes is not covered; all of them are public.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference_impls.ranking.metrics import discounts
from reference_impls.ranking.objectives.objective import Objective, find_objective
from reference_impls.ranking.scorers.scorer import Scorer
from reference_impls.ranking.top_k_probabilities import jacobian, prefixes, top_one

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
_SMALL, _LARGE = 1e-140, 1e140
"""Squares of numbers in this range neither underflow nor overflow."""


def accumulated_gradient(scorer: Scorer, weights: Float, documents: Float, labels: Float, k: int) -> Float:
    """G of one session, lines 6 to 16 of Algorithm 6.1, shape (dimension,); a step along G raises expected NDCG@k."""
    return -objective_gradient(find_objective("bayesrank"), scorer, weights, documents, labels, k)


def objective_gradient(
    objective: Objective, scorer: Scorer, weights: Float, documents: Float, labels: Float, k: int
) -> Float:
    """The gradient of one session's objective with respect to the weights, shape (dimension,)."""
    scores = scorer.scores(weights, documents)
    return scorer.gradient(weights, documents, objective.slopes(scores, labels, k), int(np.argmax(scores)))


def prefix_norms(scorer: Scorer, weights: Float, documents: Float, k: int) -> tuple[Integer, Float]:
    """All prefixes and an upper bound on each ``|g_pi|`` (L2), shapes (N, min(k, n)) and (N,)."""
    scores = scorer.scores(weights, documents)
    listed = prefixes(scores.size, k)
    top = int(np.argmax(scores))
    operations = weights.size + 2 * scores.size + len(listed) + 16
    with np.errstate(over="ignore", invalid="ignore"):
        gram, lengths = scorer.gram(weights, documents, top), scorer.lengths(weights, documents, top)
        if k == 1:
            chances = top_one(scores)
            towards = gram @ chances
            squares = np.diag(gram) - 2.0 * towards + chances @ towards
            return listed, chances * _rounded_up(squares, lengths + chances @ lengths, operations)
        slopes = jacobian(scores, listed)
        squares = np.einsum("ij,ij->i", slopes @ gram, slopes)
        return listed, _rounded_up(squares, np.abs(slopes) @ lengths, operations)


def _rounded_up(squares: Float, reach: Float, operations: int) -> Float:
    """Upper bounds on norms from their computed squares; the true norms are at most `reach`."""
    room = 4.0 * operations * np.finfo(np.float64).eps
    norms = np.sqrt(np.maximum(squares, 0.0) + room * reach**2)
    squared = (reach > _SMALL) & (reach < _LARGE) & np.isfinite(squares)  # else squares underflow or overflow
    return np.where(squared, norms, np.where(np.isnan(reach), np.inf, (1.0 + room) * reach))


def all_prefixes(norms: Float) -> float:
    """The bound of section 6.5.3: ``sum |g_pi|``."""
    return float(norms.sum())


def two_largest(norms: Float) -> float:
    """The bound of section 6.5.5, the sum of the two largest ``|g_pi|``; for one-hot labels and k = 1 only."""
    return float(np.sort(norms)[-2:].sum())


def document_sums(listed: Integer, norms: Float) -> Float:
    """How much a one-hot label on each document can add to |G|: ``sum over pi of NDCG@k |g_pi|``, shape (n,)."""
    sums = np.zeros(int(listed.max()) + 1)
    for place, share in enumerate(discounts(listed.shape[1]).tolist()):
        np.add.at(sums, listed[:, place], share * norms)
    return sums


def two_documents(listed: Integer, norms: Float) -> float:
    """A bound for one-hot labels and any k: the two documents that can contribute the most."""
    return float(np.sort(document_sums(listed, norms))[-2:].sum())


def one_hot(labels: Float, chance: float) -> Float:
    """One-hot labels of section 6.5.5: one of the highest non-zero labels stays, the others become 0.

    `chance` in [0, 1) chooses among ties. Labels that are all 0 stay.
    """
    kept = np.zeros_like(labels)
    highest = np.flatnonzero((labels == labels.max()) & (labels != 0))
    if highest.size:
        place = highest[min(int(chance * highest.size), highest.size - 1)]
        kept[place] = labels[place]
    return kept
