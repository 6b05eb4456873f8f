"""NDCG@k and MAP@k of the sessions as a query: row BR-METRIC of the ledger.

Numbers in [0, 1] move by at most 1 when labels change; a larger move proves that the metric leaves [0, 1] (a smaller
one proves nothing). Documents are ranked in their stored order and in the opposite one. Conventions:
:mod:`reference_impls.ranking.metrics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.sessions import Sessions
from dpverify.definitions.sensitivity import SensitivityBound
from reference_impls.ranking.metrics import average_precision, ndcg
from reference_impls.training.settings import need_count

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
METRICS = ("ndcg", "ndcg-cut", "map", "map-printed")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRange:
    """Subject ``ranking-metric``. Data set: ranking sessions, labels of either sign.

    Attributes
    ----------
    metric : str
        ``ndcg``, ``ndcg-cut`` (negative labels taken for 0), ``map-printed`` ((6.2)) or ``map`` (its repair).
    k : int
        Places.
    """

    metric: str = "ndcg"
    k: int = 2

    def __post_init__(self) -> None:
        need_count(self, "k")
        if self.metric not in METRICS:
            raise InputError(f"metric = {self.metric!r}", allowed=", ".join(METRICS))

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


def register(registry: Registry) -> None:
    """Register the subject and the ledger's claims."""
    registry.mechanisms.add("ranking-metric", MetricRange)
    plain = SearchSpace(size=6, low=0.0, high=2.0, data="simulated-sessions")
    signed = SearchSpace(size=6, low=-1.0, high=2.0, data="simulated-sessions")
    for id, locus, readings in (
        (
            "BR-METRIC",
            "(6.1), (6.2)",
            (
                Reading(key="ndcg", text="NDCG@2, labels >= 0", parameters={"metric": "ndcg"}),
                Reading(key="ndcg-signed", text="NDCG@2, labels in R", parameters={"metric": "ndcg"}, space=signed),
                Reading(key="map", text="MAP@2 as printed", parameters={"metric": "map-printed"}),
            ),
        ),
        (
            "BR-METRIC-R",
            "(6.1), (6.2), repaired",
            (
                Reading(key="map", text="MAP@2 over the hits at i <= k", parameters={"metric": "map"}),
                Reading(
                    key="ndcg-signed",
                    text="NDCG@2, negative labels taken for 0",
                    parameters={"metric": "ndcg-cut"},
                    space=signed,
                ),
            ),
        ),
    ):
        registry.add_claim(
            Claim(
                id=id,
                guarantee=SensitivityBound(bound=1.0, norm="linf"),
                relation="labels",
                subject="ranking-metric",
                source=Source(paper="DISS", locus=locus),
                space=plain,
                statement="The metric lies in [0, 1], so labels move it by at most 1.",
                readings=readings,
            )
        )
