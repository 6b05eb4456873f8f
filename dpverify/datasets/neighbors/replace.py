"""The relation ``replace``: two data sets of one size that differ in one record (bounded neighbours).

The order of the records is irrelevant to the relation; mechanisms may care, so the replaced record stands last or
first. Often confused with ``add-remove``: here the size is public, and a record's influence counts twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.neighbors.blocks import block_count, on_levels
from dpverify.datasets.neighbors.continuum import Continuum
from dpverify.datasets.neighbors.plain_records import extremes_first, plain_records
from dpverify.datasets.neighbors.record_columns import both, only_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace(Continuum):
    """Lists of `size` numbers in [low, high], one of which is another number in the other data set.

    Generated data sets are float64 arrays of shape (size,). The box: breakpoints and levels of the other records in up
    to four blocks, then the two values of the record. Pairs are listed in one order only.
    """

    name: str = "replace"
    relation: str = "replace"

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when the sizes are equal and all records but one at most agree, in whatever order."""
        records = both(d0, d1)
        if isinstance(records, str):
            return records
        first, second = records
        if len(first) != len(second):
            return f"d0 has {len(first)} records and d1 has {len(second)}: the sizes must be equal"
        foreign = only_in(first, second)
        if len(foreign) > 1:
            places = ", ".join(map(str, foreign[:4])) + (" ..." if len(foreign) > 4 else "")
            return f"{len(foreign)} records of d0 (at {places}) are not in d1, only one may be replaced"
        return None

    def box(self, space: SearchSpace) -> Float:
        """Bounds, shape (2 k + 1, 2) with k <= 4 blocks: k - 1 breakpoints, k levels, the record's two values."""
        k = block_count(max(space.size - 1, 1))
        return np.array([[0.0, 1.0]] * (k - 1) + [[space.low, space.high]] * (k + 2))

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box; the replaced record stands last."""
        k = block_count(max(space.size - 1, 1))
        point = np.asarray(vector, dtype=np.float64)
        rest = on_levels(point, space.size - 1, low=space.low, high=space.high)
        old, new = np.clip(point[2 * k - 1 : 2 * k + 1], space.low, space.high)
        return Pair(d0=np.append(rest, old), d1=np.append(rest, new), label="one record replaced")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """One extreme value for another among plain records."""
        levels = extremes_first(space)
        for old, rest in plain_records(space):
            for new in levels:
                yield Pair(d0=np.append(rest, old), d1=np.append(rest, new), label=f"{old:g} by {new:g} (last)")
                yield Pair(d0=np.insert(rest, 0, old), d1=np.insert(rest, 0, new), label=f"{old:g} by {new:g} (first)")

    def drawn(self, space: SearchSpace, attempts: int, *, rng: np.random.Generator) -> Iterator[Pair]:
        """Blocks and independent records by turns."""
        for attempt in range(attempts):
            if attempt % 2 == 0:
                yield self.decode(space, self.point(space, rng=rng))
                continue
            d0 = rng.uniform(space.low, space.high, space.size)
            yield Pair(d0=d0, d1=np.append(d0[:-1], rng.uniform(space.low, space.high)), label="random")


def register(registry: Registry) -> None:
    """Put the relation's default generator into the registry."""
    registry.neighbors.add("replace", Replace())
