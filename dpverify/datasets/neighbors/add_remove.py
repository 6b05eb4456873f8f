"""The relation ``add-remove``: one data set is the other plus one record (unbounded neighbours).

The order of the records is irrelevant to the relation; mechanisms may care, so the extra record stands last or first.
Both directions are listed: removing a record is not adding one for a mechanism that reads the size. Often confused with
``replace``, where the size is public; a claim under ``add-remove`` at epsilon gives one under ``replace`` at 2 epsilon.

Which relation a user's pair of data sets can be read under, for command lines that name none.

Only the relations on records can be read off a pair; anything else (query answers, say) needs the relation's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.relation_names import ADD_REMOVE, REPLACE
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.neighbors.blocks import block_count, on_levels
from dpverify.datasets.neighbors.continuum import Continuum
from dpverify.datasets.neighbors.plain_records import plain_records
from dpverify.datasets.neighbors.record_columns import both, only_in


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRemove(Continuum):
    """Lists of numbers in [low, high]: `size` records in the larger data set, one fewer in the smaller.

    Generated data sets are float64 arrays of shapes (size,) and (size - 1,). The box: breakpoints and levels of the
    other records in up to four blocks, the value of the extra record, and the direction (below 1/2: `d0` has it).
    """

    directed: ClassVar[bool] = True
    name: str = "add-remove"
    relation: str = "add-remove"

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when one is the other plus a record, in whatever order."""
        records = both(d0, d1)
        if isinstance(records, str):
            return records
        first, second = records
        if abs(len(first) - len(second)) != 1:
            return f"d0 has {len(first)} records and d1 has {len(second)}: the sizes must differ by exactly one"
        names = ("d1", "d0") if len(first) > len(second) else ("d0", "d1")
        larger, smaller = (first, second) if len(first) > len(second) else (second, first)
        foreign = only_in(smaller, larger)
        if foreign:
            return (
                f"record {foreign[0]} of {names[0]} (and {len(foreign) - 1} more) is not in {names[1]}, the larger one"
            )
        return None

    def box(self, space: SearchSpace) -> Float:
        """Bounds, shape (2 k + 1, 2) with k <= 4 blocks: k - 1 breakpoints, k levels, the record's value, direction."""
        k = block_count(max(space.size - 1, 1))
        return np.array([[0.0, 1.0]] * (k - 1) + [[space.low, space.high]] * (k + 1) + [[0.0, 1.0]])

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box; the extra record stands last."""
        k = block_count(max(space.size - 1, 1))
        point = np.asarray(vector, dtype=np.float64)
        smaller = on_levels(point, space.size - 1, low=space.low, high=space.high)
        larger = np.append(smaller, np.clip(point[2 * k - 1], space.low, space.high))
        if point[2 * k] < 0.5:
            return Pair(d0=larger, d1=smaller, label="one record removed")
        return Pair(d0=smaller, d1=larger, label="one record added")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """Extreme and plain records joined to plain data sets, in both directions."""
        for extra, smaller in plain_records(space):
            for larger, place in ((np.append(smaller, extra), "last"), (np.insert(smaller, 0, extra), "first")):
                yield Pair(d0=larger, d1=smaller, label=f"{extra:g} removed ({place})")
                yield Pair(d0=smaller, d1=larger, label=f"{extra:g} added ({place})")

    def drawn(self, space: SearchSpace, attempts: int, *, rng: np.random.Generator) -> Iterator[Pair]:
        """Blocks and independent records by turns."""
        for attempt in range(attempts):
            if attempt % 2 == 0:
                yield self.decode(space, self.point(space, rng=rng))
                continue
            larger = rng.uniform(space.low, space.high, space.size)
            yield Pair(d0=larger, d1=larger[:-1], label="random")


def infer_relation(d0: Dataset, d1: Dataset) -> str | None:
    """The relation that the pair can be read under; None where there is none (`not_neighbours` says why).

    ``add-remove`` when one data set is the other plus a record, ``replace`` when exactly one record of equally many
    differs. The order of the records plays no part.
    """
    if AddRemove().check(d0, d1) is None:
        return ADD_REMOVE
    records = both(d0, d1)
    if isinstance(records, str):
        return None
    first, second = records
    return REPLACE if len(first) == len(second) and len(only_in(first, second)) == 1 else None


def not_neighbours(d0: Dataset, d1: Dataset) -> str:
    """Why a pair can be read under neither relation on records, in one line."""
    records = both(d0, d1)
    if isinstance(records, str):
        return records
    first, second = records
    foreign = len(only_in(first, second)), len(only_in(second, first))
    return (
        f"of {len(first)} records of d0, {foreign[0]} are not in d1; of {len(second)} of d1, {foreign[1]} are not in d0"
    )


def register(registry: Registry) -> None:
    """Put the relation's default generator into the registry."""
    registry.neighbors.add("add-remove", AddRemove())
