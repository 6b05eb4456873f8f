"""Pairs that are listed one by one under a relation that has no generator of its own, such as a library's metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Dataset, Pair
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.datasets.neighbors.without_box import WithoutBox


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPairs(WithoutBox):
    """Pairs under a relation in words.

    Attributes
    ----------
    pairs : sequence of Pair
        Whoever lists them vouches that they are neighbours; the plainest first.
    relation : str
        In words.
    """

    pairs: Sequence[Pair]
    relation: str

    @property
    def name(self) -> str:
        """``RELATION/listed``."""
        return f"{self.relation}/listed"

    def count(self, space: SearchSpace) -> int | None:
        """None: a list is not the relation, so no enumeration of it may certify a claim."""
        return None

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None for a pair of the list, in either order."""
        wanted = [plain_dataset(d0), plain_dataset(d1)]
        for pair in self.pairs:
            listed = [plain_dataset(pair.d0), plain_dataset(pair.d1)]
            if wanted in (listed, listed[::-1]):
                return None
        return "it is none of the listed pairs"

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """The first `limit` pairs of the list."""
        return list(self.pairs[:limit])
