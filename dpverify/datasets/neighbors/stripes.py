"""Query vectors whose answers move by turns: the worst pairs known for AboveThreshold with Gaussian noise.

The queries are cut into stripes, on one level or on levels that rise or fall evenly; those in even stripes move by
one amount, those in odd stripes by another (up and down, say). After many queries a run that has not stopped knows its
noisy threshold well: the largest of n Gaussian noises is concentrated within sigma / sqrt(2 log n). Stripes that move
apart then empty the gaps between them, so the loss grows with the number of queries, like its logarithm; no block
pattern with a level for each block does as well at orders below 4. Two stripes of unequal length, far apart, are the
worst pairs known for few queries. A search space and no theorem.

Same relation as ``all-queries``: every answer moves by at most one, both vectors stay in [low, high].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.neighbors.blocks import stretched
from dpverify.datasets.neighbors.bounded_moves import check_moves, moved_within
from dpverify.datasets.neighbors.continuum import Continuum

MOST_GROWTH = 4.0
"""Largest logarithm of (length of the last stripe / length of the first), and of its inverse."""
MOST_STRIPES = 64
"""More gain nothing that was seen, and the cost of a law grows with its distinct levels."""

_COUNTS = (2, 8, 32, 4, 16, 64)
_LEVELS = 9
_MOVES = ((1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stripes(Continuum):
    """Generator ``all-queries/stripes``. Data sets: float64, shape (size,).

    The box, shape (6, 2): the first stripe's level; how far the last one lies above it, as the signed root of its share
    of the range; how many stripes, as an exponent in [0, 1] of the most there may be (64, and one an entry); the
    logarithm of the last stripe's length over the first's; the moves of even and of odd stripes in [-1, 1].
    """

    name: str = "all-queries/stripes"
    relation: str = "all-queries"

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when both are vectors of equal length and no entry moves by more than 1 (+ 1e-12 for rounding)."""
        return check_moves(d0, d1)

    def box(self, space: SearchSpace) -> Float:
        """Bounds, shape (6, 2)."""
        unit = [-1.0, 1.0]
        return np.array([[space.low, space.high], unit, [0.0, 1.0], [-MOST_GROWTH, MOST_GROWTH], unit, unit])

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box; the outer eighth of a move at either end means a whole step of one."""
        level, rise, exponent, growth, *moves = np.asarray(vector, dtype=np.float64)
        count = round(min(space.size, MOST_STRIPES) ** min(max(exponent, 0.0), 1.0))
        stripe = stripes(space.size, count, growth=growth)
        slope = rise * abs(rise) * (space.high - space.low) / max(count - 1, 1)
        base = np.clip(level + slope * stripe, space.low, space.high)
        even, odd = stretched(np.array(moves))
        moved = moved_within(base, np.where(stripe % 2 == 0, even, odd), low=space.low, high=space.high)
        return Pair(d0=base, d1=moved, label=f"{count} stripes")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """Stripes of equal and of growing lengths on levels across the range."""
        levels = np.linspace(space.high, space.low, _LEVELS)[
            np.argsort(np.abs(np.arange(_LEVELS) - _LEVELS // 2), kind="stable")
        ]
        size = max(min(space.size, MOST_STRIPES), 2)
        shapes = [(np.log(min(count, size)) / np.log(size), growth) for growth in (0.0, 2.0, -2.0) for count in _COUNTS]
        ranked = sorted(
            (i + 3 * j + 4 * k, i, j, k)
            for i in range(len(levels))
            for j in range(len(shapes))
            for k in range(len(_MOVES))
        )
        for _, i, j, k in ranked:
            yield self.decode(space, np.array([levels[i], 0.0, *shapes[j], *_MOVES[k]]))


def stripes(size: int, count: int, *, growth: float = 0.0) -> NDArray[np.int64]:
    """The number of the stripe, 0 .. count - 1, in which each of `size` entries lies.

    `size`, `count`: at least 1; no more stripes than entries are made. `growth`: logarithm of the last stripe's length
    over the first's; lengths grow geometrically.
    """
    number = min(max(count, 1), size)
    weights = np.exp(growth * np.arange(number) / max(number - 1, 1))
    ends = np.rint(np.cumsum(weights) * (size / weights.sum()))
    return np.asarray(np.searchsorted(ends, np.arange(size), side="right"), dtype=np.int64)


def register(registry: Registry) -> None:
    """Put the generator into the registry."""
    registry.neighbors.add("all-queries/stripes", Stripes())
