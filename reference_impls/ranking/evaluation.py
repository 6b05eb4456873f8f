"""What ranking weights are worth on test sessions: mean MAP and NDCG@k, and the same for documents in random order.

A session without a relevant document has MAP and NDCG 0 by convention, whatever the order (`metrics`); it counts in the
means. MAP is over the whole list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.fields import Checked
from dpverify.datasets.sessions import Sessions
from dpverify.sampling.streams import stream
from reference_impls.ranking.metrics import average_precision, ndcg, ranking
from reference_impls.ranking.scorers.scorer import find_scorer

Float = NDArray[np.float64]

PLACES = (1, 2, 4, 8)
ORDERS = 20
"""Random orders of each session whose mean is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomOrder(Checked):
    """Ranks documents at random: the lowest sensible value of each metric. Result: nothing, shape (0,)."""

    def sample(self, dataset: Sessions, size: int, *, rng: np.random.Generator) -> Float:
        """Empty weights, shape (size, 0)."""
        return np.empty((size, 0))


def ranked(algorithm: Any, weights: Float, _train: Sessions, test: Sessions) -> dict[str, float]:
    """``map`` and ``ndcg@1``, ``@2``, ``@4``, ``@8``: means over the test sessions."""
    rng = stream(0, "random order", test.count)
    rows = []
    for session in range(test.count):
        labels = test.labels_of(session)
        if weights.size:
            scorer = find_scorer(algorithm.scorer)
            orders = [ranking(scorer.scores(weights, test.documents_of(session)))]
        else:
            orders = [rng.permutation(labels.size) for _ in range(ORDERS)]
        rows.append(np.mean([_metrics(labels, order) for order in orders], axis=0))
    means = np.mean(rows, axis=0)
    return dict(zip(("map", *(f"ndcg@{k}" for k in PLACES)), map(float, means), strict=True))


def _metrics(labels: Float, order: NDArray[np.int64]) -> list[float]:
    found = [average_precision(labels, order, labels.size)]
    return found + [float(ndcg(labels, order[None, :], k)[0]) for k in PLACES]
