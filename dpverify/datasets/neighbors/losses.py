"""Add or remove one record whose losses along a ray are anything in a range: the neighbours of a line search.

A data set is a table of losses, float64, shape (k, m + 2): a row for each kind of record, with how many records are of
that kind (a whole number >= 1), the loss at w, and the losses at the m candidate points. Counting equal records
instead of repeating them keeps witnesses short and a search fast: a background of 100,000 records is one row.

The pairs: a background of n equal records, whose losses put the noise-free queries on up to three levels, and one
record more, with one loss at w and up to three losses along the ray. Both stay in [low, high] of the search space,
whose size is m. All losses are multiples of 2^-20, so sums over the records are exact in float64 and a query moves by
exactly the record's own ``f_w - h_i``: an exact law can then not blame rounding on a claim. This is a search space and
no theorem: the worst pair may have more blocks.

Often confused with ``all-queries``, where each query moves as it likes: here one loss at w is common to all moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.neighbors.blocks import in_blocks, starts, stretched
from dpverify.datasets.neighbors.continuum import Continuum
from dpverify.datasets.neighbors.stripes import stripes

GRID = 2.0**-20
"""Generated losses are multiples of this."""
BLOCKS = 3
"""A block that pins the threshold, a block that reads it, and the rest."""
MANY, FEW = 100_000, 30
"""Largest backgrounds of the two generators: what a noise of 1000 needs, and what a noise of 1 does."""

_MIDDLE, _LOW, _HIGH = 0.0, -1.0, 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    """Two kinds of candidates: the first `share` of the ray and the rest, or even and odd stripes.

    Numbers in [-1, 1], from the low end of their range to the high one. There is one loss at w, so a query that moves
    up as far as any may has `at_start` high and `own` low.
    """

    label: str
    at_start: float
    own: tuple[float, float]
    levels: tuple[float, float]
    share: float = 0.5
    stripes: int = 0

    def first(self, size: int) -> NDArray[np.bool_]:
        """Which candidates are of the first kind."""
        if self.stripes:
            return np.asarray(stripes(size, self.stripes) % 2 == 0)
        return np.arange(size) < max(1, round(self.share * size))


_STRIPED = tuple(
    _Pattern(label=f"{stripes} stripes {how}", at_start=at_start, own=(_LOW, _HIGH), levels=(u, u), stripes=stripes)
    for stripes in (2, 8, 32)
    for u in (-0.6, -1.0, -0.35)
    for how, at_start in (("up and still", _HIGH), ("up and down", _MIDDLE))
)
_PATTERNS = (
    _Pattern(
        label="first half up from high, rest still at low", at_start=_HIGH, own=(_LOW, _HIGH), levels=(_HIGH, _LOW)
    ),
    _Pattern(label="all up", at_start=_HIGH, own=(_LOW, _LOW), levels=(_MIDDLE, _MIDDLE)),
    _Pattern(label="first half up, rest still at low", at_start=_HIGH, own=(_LOW, _HIGH), levels=(_MIDDLE, _LOW)),
    *_STRIPED[:6],
    _Pattern(
        label="first half down from high, rest still at low", at_start=_LOW, own=(_HIGH, _LOW), levels=(_HIGH, _LOW)
    ),
    _Pattern(
        label="first tenth up, rest still, below", at_start=_HIGH, own=(_LOW, _HIGH), levels=(_MIDDLE, -0.5), share=0.1
    ),
    _Pattern(label="first half still, rest up", at_start=_HIGH, own=(_HIGH, _LOW), levels=(_MIDDLE, _LOW)),
    _Pattern(label="all down", at_start=_LOW, own=(_HIGH, _HIGH), levels=(_MIDDLE, _MIDDLE)),
    *_STRIPED[6:],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TabulatedLosses(Continuum):
    """Generator ``add-remove/losses``; `space.size` is the number m of candidates, [low, high] the range of a loss.

    The box, shape (10, 2): decimal logarithm of the background's size; breakpoints of three blocks of candidates; a
    level for each block, in [-1, 1] times what the background can reach; then the record's loss at w and in each
    block, in [-1, 1] from the low end of the range to the high one. `d0` is the background, `d1` has the record;
    auditors look both ways.
    """

    name: str = "add-remove/losses"
    relation: str = "add-remove"
    most: int = MANY
    """Largest background, in records. A background many times the noise decides the outcome, so it shows nothing."""

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when both are tables of losses and one has exactly one record more."""
        tables = []
        for name, dataset in (("d0", d0), ("d1", d1)):
            try:
                table = np.asarray(dataset, dtype=np.float64)
            except (TypeError, ValueError):
                return f"{name} is no table of numbers"
            wrong = check_losses(table)
            if wrong is not None:
                return f"{name}: {wrong}"
            tables.append(table)
        first, second = tables
        if first.shape[1] != second.shape[1]:
            return f"d0 has {first.shape[1]} columns and d1 has {second.shape[1]}: both need the same candidates"
        ours, theirs = _kinds(first), _kinds(second)
        changed = {kind: theirs[kind] - ours[kind] for kind in {*ours, *theirs} if theirs[kind] != ours[kind]}
        if sorted(map(abs, changed.values())) != [1]:
            return f"{sum(map(abs, changed.values()))} records differ: exactly one must be added or removed"
        return None

    def box(self, space: SearchSpace) -> Float:
        """Bounds, shape (10, 2)."""
        return np.array([[0.0, np.log10(self.most)]] + [[0.0, 1.0]] * (BLOCKS - 1) + [[-1.0, 1.0]] * (2 * BLOCKS + 1))

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box; the outer eighth of levels and losses at either end means the end itself."""
        point = np.asarray(vector, dtype=np.float64)
        cuts = starts(point[1:BLOCKS], space.size)
        levels = in_blocks(point[BLOCKS : 2 * BLOCKS], cuts, space.size)
        own = in_blocks(point[2 * BLOCKS + 1 :], cuts, space.size)
        return losses_pair(space, min(10.0 ** point[0], self.most), levels, point[2 * BLOCKS], own, label="blocks")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """Patterns on backgrounds of 1 to `most` records, middling sizes first."""
        grid = np.geomspace(1.0, self.most, 1 + 2 * round(np.log10(self.most)))
        sizes = grid[np.argsort(np.abs(np.arange(grid.size) - grid.size // 2), kind="stable")]
        for _, i, j in sorted((i + 2 * j, i, j) for i in range(len(_PATTERNS)) for j in range(len(sizes))):
            pattern, first = _PATTERNS[i], _PATTERNS[i].first(space.size)
            levels, own = np.where(first, *pattern.levels), np.where(first, *pattern.own)
            label = f"{pattern.label}, {round(sizes[j])} records behind"
            yield losses_pair(space, sizes[j], levels, pattern.at_start, own, label=label)


def losses_pair(
    space: SearchSpace, records: float, levels: Float, at_start: float, own: Float, *, label: str = ""
) -> Pair:
    """A background of equal records, and the same with one record more.

    `records`: size of the background, rounded to a whole number >= 1. `levels`, `own`, shape (m,): where the background
    puts the queries, in [-1, 1] of what it can reach, and the record's losses along the ray in [-1, 1] of the range;
    `at_start` is its loss at w.
    """
    half, middle = (space.high - space.low) / 2.0, (space.high + space.low) / 2.0

    def losses(position: Float) -> Float:
        exact = middle + half * stretched(np.asarray(position, dtype=np.float64))
        return np.clip(np.round(exact / GRID) * GRID, space.low, space.high)

    background = np.concatenate([[max(1.0, np.rint(records))], losses(np.append(0.0, -np.asarray(levels)))])[None, :]
    record = np.concatenate([[1.0], losses(np.append(at_start, own))])[None, :]
    return Pair(d0=background, d1=np.concatenate([background, record]), label=label)


def check_losses(table: NDArray[np.float64], *, columns: int | None = None) -> str | None:
    """Why `table` is no table of losses (one line), else None: counts >= 1, finite losses, m >= 1 candidates."""
    if table.ndim != 2 or table.shape[1] < 3 or (columns is not None and table.shape[1] != columns):
        wanted = "at least 3" if columns is None else str(columns)
        return (
            f"an array of shape {table.shape} is not two-dimensional with {wanted} columns (count, loss at w, losses)"
        )
    if not np.isfinite(table).all():
        return "losses that are not finite"
    counts = table[:, 0]
    if (counts < 1).any() or (counts != np.rint(counts)).any():
        return "counts (the first column) that are no whole numbers >= 1"
    return None


def _kinds(table: NDArray[np.float64]) -> Counter[bytes]:
    kinds: Counter[bytes] = Counter()
    for row in table + 0.0:  # -0.0 and 0.0 are one loss
        kinds[row[1:].tobytes()] += int(row[0])
    return kinds


def register(registry: Registry) -> None:
    """Put the generator into the registry, once for small noise and once for large."""
    registry.neighbors.add("add-remove/losses", TabulatedLosses())
    registry.neighbors.add("add-remove/losses-few", TabulatedLosses(name="add-remove/losses-few", most=FEW))
