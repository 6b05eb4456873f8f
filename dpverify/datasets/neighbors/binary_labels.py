"""The relation ``labels`` with two labels only: every pair of labellings of one session with `low` and `high`.

For gains that only depend on which labels are the highest (NDCG@1) the furthest labels are such: a sum of document
vectors is convex in the gains, whose extreme points are 0 and 1. Finitely many pairs, which may all be looked at; that
no other pair of the relation loses more is an argument outside the code, so they certify nothing.

Which sessions, and what else is public: :mod:`dpverify.datasets.neighbors.labels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Pair
from dpverify.datasets.neighbors.continuum import WithoutBox
from dpverify.datasets.neighbors.labels import LabelChange, sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryLabels(WithoutBox):
    """Generator ``labels/binary``; unordered pairs (auditors look both ways)."""

    name: str = "labels/binary"
    relation: str = "labels"

    def count(self, space: SearchSpace) -> int | None:
        """None: ``2^n (2^n - 1) / 2`` for every session of n documents, and the relation has labels between the two."""
        return None

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """As for the relation."""
        return LabelChange().check(d0, d1)

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """The first `limit` pairs, fewest relevant documents first; nothing is drawn."""
        return list(islice(self._pairs(space), limit if space.low < space.high else 0))

    def _pairs(self, space: SearchSpace) -> Iterator[Pair]:
        data = sessions(space)
        for index, length in enumerate(data.lengths.tolist()):
            labellings = sorted(product((space.low, space.high), repeat=length), key=sum)
            for one, two in combinations(labellings, 2):
                d0, d1 = (data.relabelled(index, np.array(labels)) for labels in (one, two))
                yield Pair(d0=d0, d1=d1, label=f"session {index}: {list(one)} by {list(two)}")


def register(registry: Registry) -> None:
    """Put the generator into the registry."""
    registry.neighbors.add("labels/binary", BinaryLabels())
