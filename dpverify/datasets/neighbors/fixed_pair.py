"""One pair that a user brings, in the place of a generator: nothing is searched beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Dataset, NeighborGenerator, Pair
from dpverify.datasets.neighbors.continuum import WithoutBox
from dpverify.datasets.neighbors.json_values import plain_dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedPair(WithoutBox):
    """The pair (d0, d1) under a relation."""

    d0: Dataset
    d1: Dataset
    """`d0`, `d1`: taken as they are; `check` asks the relation's own generator."""
    relation: str
    """The relation's name."""
    generator: NeighborGenerator | None = None
    """The relation's generator; None looks it up in the registry when `check` is called."""
    label: str = "the given pair"
    """Said in reports."""

    @property
    def name(self) -> str:
        """``RELATION/fixed``."""
        return f"{self.relation}/fixed"

    def count(self, space: SearchSpace) -> int | None:
        """None: one pair is not the relation, so no enumeration of it may certify a claim."""
        return None

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """What the relation's own generator says."""
        if self.generator is not None:
            return self.generator.check(d0, d1)
        from dpverify.core.plugins import registry

        return registry().neighbors.get(self.relation).check(d0, d1)

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """The given pair, whatever the limit."""
        return [Pair(d0=self.d0, d1=self.d1, label=self.label)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPairs(WithoutBox):
    """Pairs under a relation in words."""

    pairs: Sequence[Pair]
    """Whoever lists them vouches that they are neighbours; the plainest first."""
    relation: str
    """In words."""

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
