"""Samples of a fixed size with replacement: each place of a batch is any record, independently of all others.

Counts of places are binomial, exactly; a record's numbers of places are negatively associated with those of others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpverify.core.registry import Registry
from dpverify.loaders import common_tests as common
from dpverify.loaders.detectable import Visible, visible_in_rates
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import SizedScheme
from dpverify.loaders.scheme_test import ORDER, PASSES, SIZES, SchemeTest, counted, fact
from dpverify.loaders.terms import Priced, Terms, drawn_with_replacement


@dataclass(frozen=True, slots=True, kw_only=True)
class WithReplacement(SizedScheme):
    """The scheme ``with-replacement(size=m)``.

    Attributes
    ----------
    size : int or None
        m, places of each batch; the last batch of a pass may be smaller.
    """

    kind: ClassVar[str] = "with-replacement"
    rank: ClassVar[int] = 70

    repeats: ClassVar[bool] = True

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """Sizes; repetitions in a batch; records, passes, pairs, places."""
        n, sizes = seen.records, constant_sizes(self.size, pilot)
        yield same_sizes(seen, sizes)
        if not same_as(seen, sizes):
            return
        size = int(sizes[0])
        full = np.tile(sizes, seen.passes) == size
        twice = int(seen.repeated[full].sum())
        none = no_repetition(size, n)
        yield counted(PASSES, "batches with a record twice", twice, int(full.sum()), 1.0 - none)
        places = int(sizes.sum())
        yield from common.records_alike(seen, 1 / n, 1 / n, 1 / n, places * seen.passes, exact=False)
        yield from common.passes_alike(seen, 1 / n, 1 / n, places, exact=False)
        if size == sizes[-1]:
            once, neither = (1 - 1 / n) ** size, max(0.0, 1 - 2 / n) ** size
            yield from common.batches_apart(seen, (1 - once) ** 2, (1 - once) ** 2, exact=False)
            both = max(0.0, 1 - 2 * once + neither)
            yield from common.records_apart(seen, both, both, exact=False)
        for (words, count, rows, _), draws in zip(seen.blocks(common.PARTS), drawn(seen, sizes), strict=True):
            yield counted(ORDER, words, count, draws, rows / n)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """Rates, and correlations of two inclusions."""
        return visible_in_rates(seen, level=level)

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """Other records with one gradient bound the cost from below: each place of the record moves the sum by 2."""
        size = self.settled(seen).size or 1
        return drawn_with_replacement(size, 1.0 / seen.records, terms)


def constant_sizes(size: int | None, pilot: Observed) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Sizes of a pass's batches where all but the last have one size; as the pilot has them but for a given `size`."""
    sizes = pilot.sizes.copy()
    sizes[:-1] = size or pilot.sizes[0]
    if size:
        sizes[-1] = min(int(sizes[-1]), size)
    return sizes


def same_as(seen: Observed, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bool:
    """Tell whether every pass has these sizes, the last not larger than the others."""
    return bool(np.all(seen.sizes.reshape(seen.passes, -1) == sizes) and 0 < sizes[-1] <= sizes[0])


def same_sizes(seen: Observed, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> SchemeTest:
    """The fact that they have them."""
    other = int(np.count_nonzero(seen.sizes.reshape(seen.passes, -1) != sizes))
    words = f"{other} of {seen.batches} batches have not {sizes[0]} records (a pass's last one {sizes[-1]})"
    return fact(SIZES, words, impossible=not same_as(seen, sizes))


def no_repetition(places: int, records: int) -> float:
    """The chance that so many uniform draws are different records."""
    if places > records:
        return 0.0
    return float(np.exp(np.log1p(-np.arange(places) / records).sum())) if places else 1.0


def drawn(seen: Observed, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    """Places in each of the blocks of `Observed.blocks`, for a pass of these sizes."""
    spans = seen.block_positions(common.PARTS)
    each = [int(sizes[a:b].sum()) * seen.passes for a, b in spans]
    rows = len(seen.blocks(common.PARTS)) // len(spans)
    return each * rows


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(WithReplacement.kind, WithReplacement)
