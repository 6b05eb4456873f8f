"""NDCG@k and MAP@k of the sessions as a query: row BR-METRIC of the ledger.

Numbers in [0, 1] move by at most 1 when labels change; a larger move proves that the metric leaves [0, 1] (a smaller
one proves nothing). Documents are ranked in their stored order and in the opposite one. Conventions:
:mod:`reference_impls.ranking.metrics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Count, OneOf
from dpverify.core.subjects import Dataset
from dpverify.datasets.sessions import Sessions
from reference_impls.ranking.metrics import average_precision, ndcg

Float = NDArray[np.float64]
METRICS = ("ndcg", "ndcg-cut", "map", "map-printed")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRange(Checked):
    """Subject ``ranking-metric``. Data set: ranking sessions, labels of either sign.

    Attributes
    ----------
    metric : str
        ``ndcg``, ``ndcg-cut`` (negative labels taken for 0), ``map-printed`` ((6.2)) or ``map`` (its repair).
    k : int
        Places.
    """

    metric: Annotated[str, OneOf(METRICS)] = "ndcg"
    k: Count = 2

    def query(self, dataset: Dataset) -> Float:
        """The metric of both rankings of every session, shape (2 m,)."""
        if not isinstance(dataset, Sessions) or not dataset.count:
            raise InputError(f"a data set of type {type(dataset).__name__}", allowed="Sessions, at least one")
        found = []
        for j in range(dataset.count):
            labels = dataset.labels_of(j)
            orders = np.stack([np.arange(labels.size), np.arange(labels.size)[::-1]])
            if self.metric.startswith("ndcg"):
                seen = np.maximum(labels, 0.0) if self.metric == "ndcg-cut" else labels
                found += ndcg(seen, orders, self.k).tolist()
            else:
                printed = self.metric == "map-printed"
                found += [average_precision(labels, order, self.k, printed=printed) for order in orders]
        return np.array(found)
