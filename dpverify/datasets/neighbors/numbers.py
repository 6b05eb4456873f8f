"""The relation of claims that are about numbers only: no data sets, hence no pairs.

A lemma about all mechanisms of a kind quantifies over parameters and laws, which stand in the claim's search space as
boxes. Which neighbour relation the lemma speaks of is said in its statement.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Pair
from dpverify.datasets.neighbors.continuum import WithoutBox


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers(WithoutBox):
    """No pairs at all."""

    name: str = "numbers"
    relation: str = "numbers"

    def count(self, space: SearchSpace) -> int | None:
        """0: there are no data sets."""
        return 0

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """Why they are no neighbours: there are no data sets."""
        return "claims about numbers have no data sets"

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """No pairs."""
        return []


def register(registry: Registry) -> None:
    """Offer the relation."""
    registry.neighbors.add("numbers", Numbers())
