"""ListMLE (Xia et al. 2008; DISS (6.6)): minus the log-likelihood of the order of all documents by their labels.

Among equal labels, the document that comes first is put first (a convention; the text has none). k has no effect. The
normaliser of (6.6) is printed with n_j for its last document, as in (6.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reference_impls.ranking.metrics import ranking
from reference_impls.ranking.top_k_probabilities import log_permutation, log_slopes

Float = NDArray[np.float64]
TEXTS = "listmle"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMle:
    """An :class:`~reference_impls.ranking.objectives.objective.Objective`; labels may be any numbers."""

    name: str = "listmle"

    def loss(self, scores: Float, labels: Float, k: int) -> float:
        """``- log P_s(order by labels)``."""
        return -log_permutation(scores, ranking(labels))

    def slopes(self, scores: Float, labels: Float, k: int) -> Float:
        """The gradient of the loss, shape (n,)."""
        return -log_slopes(scores, ranking(labels))


def build(text: str) -> ListMle | None:
    """The objective that ``listmle`` names; None for other texts."""
    return ListMle() if text == "listmle" else None
