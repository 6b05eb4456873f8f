"""The relation ``value``: any two values of a finite domain 0 .. size - 1 (local differential privacy).

The only relation here that is finite: `count` gives the number of ordered pairs and `candidates` lists them all when
the limit allows, so that an exact method may enumerate it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Pair
from dpverify.datasets.neighbors.continuum import WithoutBox


@dataclass(frozen=True, slots=True, kw_only=True)
class Value(WithoutBox):
    """Ordered pairs of different values; data sets are plain Python integers."""

    name: str = "value"
    relation: str = "value"

    def count(self, space: SearchSpace) -> int | None:
        """size (size - 1)."""
        return space.size * (space.size - 1)

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when both are whole numbers >= 0 (the size of the domain is not known here)."""
        return _not_a_value(d0, "d0") or _not_a_value(d1, "d1")

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """All ordered pairs if they are at most `limit`; else the ends of the domain, then random pairs; distinct."""
        total = space.size * (space.size - 1)
        if total <= limit:
            return [_pair(i, j) for i, j in _all(space.size)]
        last = space.size - 1
        ends = [(0, 1), (1, 0), (0, last), (last, 0), (last - 1, last), (last, last - 1)]
        chosen = dict.fromkeys(ends[:limit])
        while len(chosen) < limit:
            code = int(rng.integers(total))
            value, other = divmod(code, last)
            chosen[(value, other + (other >= value))] = None
        return [_pair(i, j) for i, j in chosen]


def _all(size: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(size) for j in range(size) if i != j)


def _pair(d0: int, d1: int) -> Pair:
    return Pair(d0=d0, d1=d1, label=f"{d0} and {d1}")


def _not_a_value(dataset: Any, name: str) -> str | None:
    value = dataset.item() if isinstance(dataset, (np.ndarray, np.generic)) and np.size(dataset) == 1 else dataset
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value % 1 != 0 or value < 0:
        return f"{name} = {dataset!r} is not a value of a finite domain (a whole number >= 0)"
    return None


def register(registry: Registry) -> None:
    """Put the relation's default generator into the registry."""
    registry.neighbors.add("value", Value())
