"""The relation ``all-queries``: two vectors of query answers, every one of which may move by at most one.

It is the neighbour relation of the sparse vector technique and of selection mechanisms on queries of sensitivity one
(StatDP's ALL_DIFFER, DP-Sniper's infinity norm). The structured pairs are those of StatDP and DP-Sniper (all up, all
down, one against the rest, halves, alternating, the X shape) on several bases; random pairs follow. Both data sets
stay in the search space's range, so no pair leaves what the claim is about. Pairs are listed in one order only:
auditors look at both directions.

Often confused with ``one-query``, where only one answer moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.neighbors.blocks import block_count, in_blocks, on_levels, starts, stretched
from dpverify.datasets.neighbors.bounded_moves import check_moves, moved_within
from dpverify.datasets.neighbors.continuum import Continuum
from dpverify.datasets.neighbors.plain_records import plain_first


@dataclass(frozen=True, slots=True, kw_only=True)
class AllQueries(Continuum):
    """Vectors of `size` answers in [low, high], every entry moved by at most one.

    Data sets are float64 arrays of shape (size,). The box has up to four blocks: breakpoints (fractions of the size),
    a level in [low, high] and a shift in [-1, 1] for each block.
    """

    name: str = "all-queries"
    relation: str = "all-queries"

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when both are vectors of equal length and no entry moves by more than 1 (+ 1e-12 for rounding)."""
        return check_moves(d0, d1)

    def box(self, space: SearchSpace) -> Float:
        """Bounds, shape (3 k - 1, 2) with k <= 4 blocks: k - 1 breakpoints, k levels, k shifts."""
        k = block_count(space.size)
        return np.array([[0.0, 1.0]] * (k - 1) + [[space.low, space.high]] * k + [[-1.0, 1.0]] * k)

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box; the outer eighth of a shift at either end means a whole step of one."""
        k = block_count(space.size)
        point = np.asarray(vector, dtype=np.float64)
        d0 = on_levels(point, space.size, low=space.low, high=space.high)
        shift = in_blocks(stretched(point[2 * k - 1 :]), starts(point[: k - 1], space.size), space.size)
        return Pair(d0=d0, d1=moved_within(d0, shift, low=space.low, high=space.high), label="blocks")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """Structured patterns, the plainest on the plainest base first."""
        shifts, bases = list(_shifts(space.size)), list(_bases(space))
        # By the sum of the two ranks: neither the tenth base nor the tenth pattern waits for all the others.
        ranked = sorted((i + j, i, j) for i in range(len(shifts)) for j in range(len(bases)))
        for _, i, j in ranked:
            (how, shift), (where, base) = shifts[i], bases[j]
            d1 = moved_within(base, shift, low=space.low, high=space.high)
            yield Pair(d0=base, d1=d1, label=f"{how} from {where}")

    def drawn(self, space: SearchSpace, attempts: int, *, rng: np.random.Generator) -> Iterator[Pair]:
        """Blocks and independent entries by turns."""
        for attempt in range(attempts):
            if attempt % 2 == 0:
                point = self.point(space, rng=rng)
                steps = slice(-block_count(space.size), None)
                point[steps] = np.rint(1.49 * point[steps])  # whole steps: a smaller move seldom shows more
                yield self.decode(space, point)
                continue
            base = rng.uniform(space.low, space.high, space.size)
            shift = rng.choice([-1.0, 0.0, 1.0], space.size, p=[0.4, 0.2, 0.4])
            yield Pair(d0=base, d1=moved_within(base, shift, low=space.low, high=space.high), label="random")


def _shifts(size: int) -> Iterator[tuple[str, Float]]:
    """The patterns of StatDP and DP-Sniper, with their negatives: a base may tell the two apart."""
    index = np.arange(size)
    half = index < (size + 1) // 2
    yield "all up", np.ones(size)
    yield "all down", -np.ones(size)
    yield "first up, rest down", np.where(index == 0, 1.0, -1.0)
    yield "first down, rest up", np.where(index == 0, -1.0, 1.0)
    yield "first half up, second down", np.where(half, 1.0, -1.0)
    yield "last up, rest down", np.where(index == size - 1, 1.0, -1.0)
    yield "last down, rest up", np.where(index == size - 1, -1.0, 1.0)
    yield "first half down, second up", np.where(half, -1.0, 1.0)
    yield "alternating", np.where(index % 2 == 0, 1.0, -1.0)
    yield "first up", np.where(index == 0, 1.0, 0.0)
    yield "first down", np.where(index == 0, -1.0, 0.0)


def _bases(space: SearchSpace) -> Iterator[tuple[str, Float]]:
    """Levels 0 and 1 where the range holds them, then the range's own; last the steps of the X shape."""
    index = np.arange(space.size)
    for level in plain_first(space):
        yield f"all {level:g}", np.full(space.size, level, dtype=np.float64)
    half = index < (space.size + 1) // 2
    low, high = float(space.low), float(space.high)
    if space.low <= 0.0 and space.high >= 1.0:
        yield "halves 1, 0", np.where(half, 1.0, 0.0)
    yield f"last {high:g}, rest {low:g}", np.where(index == space.size - 1, high, low)
    yield f"first {high:g}, rest {low:g}", np.where(index == 0, high, low)
    yield f"halves {high:g}, {low:g}", np.where(half, high, low)


def register(registry: Registry) -> None:
    """Put the relation's default generator into the registry."""
    registry.neighbors.add("all-queries", AllQueries())
