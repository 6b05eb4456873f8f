"""Weighted draws with replacement: each place of a batch is a record by weights of their own, independently.

The weights are left open. Given how often each record was drawn, the places are in any order; and no weights make
repetitions in a batch or a pass rarer than equal ones do (Schur concavity of elementary symmetric functions).
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
from dpverify.loaders.scheme import Scheme, SizedScheme
from dpverify.loaders.scheme_test import ORDER, PASSES, SchemeTest, counted
from dpverify.loaders.schemes.with_replacement import constant_sizes, drawn, no_repetition, same_as, same_sizes
from dpverify.loaders.terms import Priced, Terms, drawn_with_replacement
from dpverify.stats.intervals import clopper_pearson_lower


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted(SizedScheme):
    """The scheme ``weighted(size=m)``.

    Attributes
    ----------
    size : int or None
        m, places of each batch; the last batch of a pass may be smaller.
    """

    kind: ClassVar[str] = "weighted"
    rank: ClassVar[int] = 90

    repeats: ClassVar[bool] = True

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """Sizes; repetitions in a batch and in a pass; places."""
        sizes = constant_sizes(self.size, pilot)
        yield same_sizes(seen, sizes)
        if not same_as(seen, sizes):
            return
        full = np.tile(sizes, seen.passes) == sizes[0]
        different = int(full.sum() - seen.repeated[full].sum())
        most = no_repetition(int(sizes[0]), seen.records)
        yield counted(PASSES, "batches without a repetition", different, int(full.sum()), 0.0, most)
        different = int(np.count_nonzero(seen.pass_counts.max(axis=1) <= 1))
        most = no_repetition(int(sizes.sum()), seen.records)
        yield counted(PASSES, "passes without a repetition", different, seen.passes, 0.0, most)
        blocks, columns = seen.blocks(common.PARTS), len(seen.block_positions(common.PARTS))
        for place, ((words, count, _, _), draws) in enumerate(zip(blocks, drawn(seen, sizes), strict=True)):
            row = place - place % columns
            share = sum(each[1] for each in blocks[row : row + columns]) / seen.total
            yield counted(ORDER, words, count, draws, share, exact=False)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """Rates, and correlations of two inclusions."""
        return visible_in_rates(seen, level=level)

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """The record that is drawn most often bounds the cost from below, at the lower limit of its weight."""
        size = self.settled(seen).size or 1
        most = int(seen.record_counts.max())
        weight = float(clopper_pearson_lower(most, seen.total, alpha=alpha / seen.records))
        return drawn_with_replacement(size, weight, terms)

    def text(self, seen: Observed) -> str:
        """The text names the size, and what was seen of the weights."""
        most, least = seen.record_counts.max(), seen.record_counts.min()
        return f"{Scheme.text(self, seen)}: records drawn {least} to {most} times"


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(Weighted.kind, Weighted)
