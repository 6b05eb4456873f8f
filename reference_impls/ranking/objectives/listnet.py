"""ListNet (Cao et al. 2007; DISS section 6.4.2): cross entropy between the top-k probabilities of labels and of scores.

``- sum over prefixes pi of P_y(pi) log P_s(pi)``, both with psi = exp. DISS does not say which k its experiments take;
the ranking literature, and the default here, is k = 1, where the slopes are the difference of two softmaxes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reference_impls.ranking.top_k_probabilities import log_permutation, log_slopes, top_k, top_one

Float = NDArray[np.float64]
TEXTS = "listnet"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNet:
    """An :class:`~reference_impls.ranking.objectives.objective.Objective`; labels may be any numbers."""

    name: str = "listnet"

    def loss(self, scores: Float, labels: Float, k: int) -> float:
        """The cross entropy in nats."""
        listed, wanted = top_k(labels, k)
        logs = np.array([log_permutation(scores, order) for order in listed])
        return -float(wanted @ logs)

    def slopes(self, scores: Float, labels: Float, k: int) -> Float:
        """``- sum over pi of P_y(pi) d log P_s(pi)/ds``, shape (n,)."""
        if k == 1:
            return np.asarray(top_one(scores) - top_one(labels))
        listed, wanted = top_k(labels, k)
        total = np.zeros(scores.size)
        for chance, order in zip(wanted, listed, strict=True):
            total -= chance * log_slopes(scores, order)
        return total


def build(text: str) -> ListNet | None:
    """The objective that ``listnet`` names; None for other texts."""
    return ListNet() if text == "listnet" else None
