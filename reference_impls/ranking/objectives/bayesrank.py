"""BayesRank's Bayes risk of one session (Kuo, Cheng, Wang 2009; DISS (6.7)): minus the expected NDCG@k.

``R = - sum over prefixes pi of NDCG@k(y, pi) p_k(pi; s)``. For k = 1 the gain of document d being first is g_d / max g,
its mean under p is the expected NDCG@1, and the slopes have a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reference_impls.ranking.metrics import ndcg
from reference_impls.ranking.top_k_probabilities import jacobian, prefixes, top_k, top_one

Float = NDArray[np.float64]
TEXTS = "bayesrank"


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesRisk:
    """An :class:`~reference_impls.ranking.objectives.objective.Objective`; in [-1, 0] for labels >= 0."""

    name: str = "bayesrank"

    def loss(self, scores: Float, labels: Float, k: int) -> float:
        """Minus the expected NDCG@k."""
        listed, chances = top_k(scores, k)
        return -float(ndcg(labels, listed, k) @ chances)

    def slopes(self, scores: Float, labels: Float, k: int) -> Float:
        """``- sum over pi of NDCG@k(y, pi) dp_k(pi)/ds``, shape (n,), summing to 0."""
        listed = prefixes(scores.size, k)
        values = ndcg(labels, listed, k)
        if k == 1:
            chances = top_one(scores)
            return np.asarray(-chances * (values - values @ chances))
        return np.asarray(-(values @ jacobian(scores, listed)))


def build(text: str) -> BayesRisk | None:
    """The objective that ``bayesrank`` names; None for other texts."""
    return BayesRisk() if text == "bayesrank" else None
