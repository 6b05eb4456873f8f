"""What passes over a loader showed: which records were in which batch, and counts of that.

Joint inclusions are counted on packed bits. Where records times batches exceed `LARGEST`, they are counted on the first
and the last records only, as many as fit: under every scheme here the inclusions of some records follow the same laws.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Integer = NDArray[np.int64]
Bits = NDArray[np.uint8]
T = TypeVar("T")

LARGEST = 4 * 10**7
"""Records times batches whose inclusions are looked at one by one."""

MOST_PAIRED, PAIRED = 1500, 10**10
"""Records of which all pairs are looked at, and pairs times batches."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Observed:
    """Batches of several passes, in their order.

    Attributes
    ----------
    records : int
        n; records are numbered 0 .. n - 1.
    passes : int
        How many passes over the loader.
    steps : int
        Batches of each pass.
    flat : int64, shape (N,)
        The records of all batches, one batch after another.
    sizes : int64, shape (passes * steps,)
        Records of each batch, repetitions counted.
    """

    records: int
    passes: int
    steps: int
    flat: Integer
    sizes: Integer

    @property
    def batches(self) -> int:
        """There are so many batches in all."""
        return int(self.sizes.size)

    @property
    def total(self) -> int:
        """Inclusions in all, repetitions counted."""
        return int(self.flat.size)

    @cached_property
    def _known(self) -> dict[Any, Any]:
        return {}

    def _once(self, count: Callable[..., T], *of: Any) -> T:
        """Count once, by `count`: several schemes ask for the same."""
        key = count.__name__, of
        if key not in self._known:
            self._known[key] = count(*of)
        found: T = self._known[key]
        return found

    @cached_property
    def step_of(self) -> Integer:
        """Return the number of the batch of each inclusion."""
        return np.repeat(np.arange(self.batches), self.sizes)

    @cached_property
    def _sorted(self) -> Integer:
        """Batch times n plus record, rising."""
        return np.sort(self.step_of * self.records + self.flat)

    @cached_property
    def repeated(self) -> NDArray[np.bool_]:
        """Tell for each batch whether a record is in it more than once; shape (batches,)."""
        again = self._sorted[1:][self._sorted[1:] == self._sorted[:-1]] // self.records
        found = np.zeros(self.batches, dtype=np.bool_)
        found[again] = True
        return found

    @cached_property
    def record_counts(self) -> Integer:
        """Count how often each record was taken; shape (n,)."""
        return np.bincount(self.flat, minlength=self.records)

    @cached_property
    def pass_counts(self) -> Integer:
        """Count how often each record was taken in each pass; shape (passes, n)."""
        keys = self.step_of // self.steps * self.records + self.flat
        return np.bincount(keys, minlength=self.passes * self.records).reshape(self.passes, self.records)

    @cached_property
    def position_counts(self) -> Integer | None:
        """Count each record at each position of a pass; shape (steps, n); None where too many."""
        if self.records * self.steps > LARGEST // 4:
            return None
        keys = self.step_of % self.steps * self.records + self.flat
        return np.bincount(keys, minlength=self.steps * self.records).reshape(self.steps, self.records)

    def blocks(self, parts: int) -> list[tuple[str, int, int, int]]:
        """(words, inclusions, records, batches) of blocks of records in blocks of positions of a pass.

        Parameters
        ----------
        parts : int
            Blocks of records, and of positions, by their numbers.
        """
        return self._once(self._blocks, parts)

    def _blocks(self, parts: int) -> list[tuple[str, int, int, int]]:
        rows, columns = self._edges(self.records, parts), self._edges(self.steps, parts)
        row = np.repeat(np.arange(rows.size - 1), np.diff(rows))[self.flat]
        column = np.repeat(np.arange(columns.size - 1), np.diff(columns))[self.step_of % self.steps]
        table = np.bincount(row * (len(columns) - 1) + column, minlength=(len(rows) - 1) * (len(columns) - 1))
        found = []
        for place, count in enumerate(table.tolist()):
            i, j = divmod(place, len(columns) - 1)
            words = f"records {rows[i]} to {rows[i + 1] - 1} in batches {columns[j] + 1} to {columns[j + 1]} of a pass"
            wide = int(columns[j + 1] - columns[j])
            found.append((words, count, int(rows[i + 1] - rows[i]), wide * self.passes))
        return found

    def block_positions(self, parts: int) -> list[tuple[int, int]]:
        """(first, end) of the blocks of positions that `blocks` has."""
        edges = self._edges(self.steps, parts)
        return [(int(a), int(b)) for a, b in itertools.pairwise(edges)]

    @staticmethod
    def _edges(count: int, parts: int) -> Integer:
        return np.unique(np.linspace(0, count, min(parts, count) + 1).astype(np.int64))

    @cached_property
    def looked_at(self) -> tuple[tuple[int, int], ...]:
        """(first, end) of the runs of records whose joint inclusions are counted: all, or the first and the last."""
        most = max(2, LARGEST // max(1, self.batches))
        if self.records <= most:
            return ((0, self.records),)
        return ((0, most // 2), (self.records - most // 2, self.records))

    @property
    def width(self) -> int:
        """Records whose joint inclusions are counted."""
        return sum(end - first for first, end in self.looked_at)

    @cached_property
    def included(self) -> NDArray[np.bool_]:
        """Tell whether each record that is looked at was in each batch; shape (width, batches)."""
        found = np.zeros((self.width, self.batches), dtype=np.bool_)
        begun = 0
        for first, end in self.looked_at:
            here = (self.flat >= first) & (self.flat < end)
            found[self.flat[here] - first + begun, self.step_of[here]] = True
            begun += end - first
        return found

    @cached_property
    def _by_record(self) -> Bits:
        return np.packbits(self.included, axis=1)

    @cached_property
    def _by_step(self) -> Bits:
        return np.packbits(self.included.T, axis=1)

    def in_both_batches(self, lag: int, position: int | None = None) -> tuple[int, int]:
        """(records that were in both batches, pairs of batches) over disjoint pairs of batches `lag` apart.

        With `position`, the first batch of a pair is at this position of a pass.
        """
        return self._once(self._in_both_batches, lag, position)

    def _in_both_batches(self, lag: int, position: int | None) -> tuple[int, int]:
        first = np.arange(self.batches - lag)
        first = first[first % (2 * lag) < lag]
        if position is not None:
            first = first[first % self.steps == position]
        count = 0
        for start in range(0, first.size, 2**12):
            rows = first[start : start + 2**12]
            count += int(np.bitwise_count(self._by_step[rows] & self._by_step[rows + lag]).sum())
        return count, int(first.size)

    def both_in_batch(self, lag: int, position: int | None = None) -> tuple[int, int, int]:
        """(batches that both records were in, pairs of records, batches) over disjoint pairs of records `lag` apart.

        With `position`, only batches at this position of a pass.
        """
        return self._once(self._both_in_batch, lag, position)

    def _both_in_batch(self, lag: int, position: int | None) -> tuple[int, int, int]:
        starts, begun = [], 0
        for low, high in self.looked_at:
            own = np.arange(high - low - lag)
            starts.append(begun + own[own % (2 * lag) < lag])
            begun += high - low
        first = np.concatenate(starts).astype(np.int64)
        both = self._by_record[first] & self._by_record[first + lag]
        batches = self.batches
        if position is not None:
            chosen = np.arange(self.batches) % self.steps == position
            both, batches = both & np.packbits(chosen), int(chosen.sum())
        return int(np.bitwise_count(both).sum()), int(first.size), batches

    @cached_property
    def together(self) -> Integer | None:
        """Count how often each pair of records was in one of the first `together_of` batches, shape (pairs,).

        None where there is one record, or too many.
        """
        if not 1 < self.width <= MOST_PAIRED or len(self.looked_at) > 1:
            return None
        table = np.zeros((self.width, self.width), dtype=np.float32)
        for start in range(0, self.together_of, 2**12):
            part = self.included[:, start : min(start + 2**12, self.together_of)].astype(np.float32)
            table += part @ part.T
        return table[np.triu_indices(self.width, 1)].astype(np.int64)

    @property
    def together_of(self) -> int:
        """Batches that are counted for `together`."""
        return min(self.batches, PAIRED // self.width**2)

    @cached_property
    def alike_records(self) -> int:
        """Records that were in exactly the same batches as an earlier one; in some of all batches, and not in all."""
        counts = np.bitwise_count(self._by_record).sum(axis=1)
        rows = [row.tobytes() for row in self._by_record[(counts > 0) & (counts < self.batches)]]
        return len(rows) - len(set(rows))

    @cached_property
    def sets(self) -> list[bytes]:
        """Each batch as bytes that are the same for the same records, whatever their order."""
        whole = (self._sorted % self.records).tobytes()
        edges = (np.concatenate([[0], np.cumsum(self.sizes)]) * self._sorted.itemsize).tolist()
        return [whole[a:b] for a, b in itertools.pairwise(edges)]

    @cached_property
    def pass_sets(self) -> list[tuple[bytes, ...]]:
        """Return the sets of records of each pass."""
        return [tuple(self.sets[at : at + self.steps]) for at in range(0, self.batches, self.steps)]

    @cached_property
    def same_passes(self) -> int:
        """Passes whose batches, in their order, are those of an earlier pass."""
        return self.passes - len(set(self.pass_sets))

    @cached_property
    def same_batches(self) -> int:
        """Batches with a record that are, as sets, an earlier batch."""
        seen = [each for each in self.sets if each]
        return len(seen) - len(set(seen))
