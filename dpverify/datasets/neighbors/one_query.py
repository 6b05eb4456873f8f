"""The relation ``one-query``: two vectors of query answers that differ in one entry, by at most one.

It is the neighbour relation of a histogram of disjoint counts, and of a single query of sensitivity one (StatDP's
ONE_DIFFER). Both data sets stay in the search space's range. Pairs are listed in one order only: auditors look at both
directions. Often confused with ``all-queries``, where every answer may move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.neighbors.blocks import block_count, on_levels, stretched
from dpverify.datasets.neighbors.bounded_moves import ROUNDING, differences, moved_within, moves_too_far
from dpverify.datasets.neighbors.continuum import Continuum
from dpverify.datasets.neighbors.plain_records import plain_first


@dataclass(frozen=True, slots=True, kw_only=True)
class OneQuery(Continuum):
    """Vectors of `size` answers in [low, high]; one entry moves by at most one.

    Data sets are float64 arrays of shape (size,). The box: breakpoints and levels of up to four blocks, the place of
    the entry that moves (a fraction of the size), its own level, and its shift in [-1, 1].
    """

    name: str = "one-query"
    relation: str = "one-query"

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when both have equal lengths and one entry at most moves, by at most 1 (+ 1e-12 for rounding)."""
        moves = differences(d0, d1)
        if isinstance(moves, str):
            return moves
        if too_far := moves_too_far(moves):
            return too_far
        moved = np.flatnonzero(moves > ROUNDING)
        if moved.size > 1:
            return f"{moved.size} entries move ({', '.join(map(str, moved[:4]))} ...), only one may"
        return None

    def box(self, space: SearchSpace) -> Float:
        """Bounds, shape (2 k + 2, 2) with k <= 4: k - 1 breakpoints, k levels, place, own level, shift."""
        k = block_count(space.size)
        levels = [[space.low, space.high]]
        return np.array([[0.0, 1.0]] * (k - 1) + levels * k + [[0.0, 1.0]] + levels + [[-1.0, 1.0]])

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box."""
        k = block_count(space.size)
        point = np.asarray(vector, dtype=np.float64)
        base = on_levels(point, space.size, low=space.low, high=space.high)
        entry = min(int(np.clip(point[2 * k - 1], 0.0, 1.0) * space.size), space.size - 1)
        base[entry] = np.clip(point[2 * k], space.low, space.high)
        shift = float(stretched(point[2 * k + 1]))
        return _pair(base, entry, shift, space, "blocks")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """The first, last and middle entry moved up and down on plain bases."""
        entries = list(dict.fromkeys([0, space.size - 1, space.size // 2]))
        for level in plain_first(space):
            for entry in entries:
                for shift in (1.0, -1.0):
                    base = np.full(space.size, level, dtype=np.float64)
                    yield _pair(base, entry, shift, space, f"entry {entry} by {shift:+g} from all {level:g}")

    def point(self, space: SearchSpace, *, rng: np.random.Generator) -> Float:
        """A point of the box with a whole step: a smaller one seldom shows more."""
        point = Continuum.point(self, space, rng=rng)
        point[-1] = np.copysign(1.0, point[-1])
        return point


def _pair(base: Float, entry: int, shift: float, space: SearchSpace, label: str) -> Pair:
    step = np.zeros(space.size)
    step[entry] = shift
    return Pair(d0=base, d1=moved_within(base, step, low=space.low, high=space.high), label=label)


def register(registry: Registry) -> None:
    """Put the relation's default generator into the registry."""
    registry.neighbors.add("one-query", OneQuery())
