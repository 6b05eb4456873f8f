"""Shuffled batches: a fresh random order each pass, cut into batches; the last one is smaller, or dropped.

A pass's inclusions are a random permutation's, which are negatively associated (Joag-Dev and Proschan 1983).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.registry import Registry
from dpverify.loaders import common_tests as common
from dpverify.loaders.detectable import Visible, visible_in_blocks
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import Scheme, SizedScheme
from dpverify.loaders.scheme_test import ORDER, PAIRS, PASSES, STEPS, SchemeTest, counted, fact
from dpverify.loaders.schemes.with_replacement import constant_sizes, drawn, same_as, same_sizes
from dpverify.loaders.terms import Priced, Terms, composed, hidden_place


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled(SizedScheme):
    """The scheme ``shuffled(size=b)``.

    Attributes
    ----------
    size : int or None
        b, records of each batch but perhaps the last of a pass.
    """

    kind: ClassVar[str] = "shuffled"
    rank: ClassVar[int] = 40

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """Every pass is a partition: a fact; then places, pairs, repetitions."""
        n, sizes = seen.records, constant_sizes(self.size, pilot)
        yield same_sizes(seen, sizes)
        yield once_a_pass(seen)
        if not same_as(seen, sizes) or seen.pass_counts.max() > 1:
            return
        blocks = seen.blocks(common.PARTS)
        for (words, count, rows, _), draws in zip(blocks, drawn(seen, sizes), strict=True):
            trials = rows * seen.passes
            yield counted(ORDER, words, count, trials, draws / seen.passes / n, exact=False)
        for position in common.some_positions(seen):
            size = int(sizes[position])
            words = f"of batch {position + 1} of a pass"
            if seen.passes > 1:
                count, pairs = seen.in_both_batches(seen.steps, position)
                told = f"records {words} that are there in the next pass, too"
                yield counted(STEPS, told, count, pairs * seen.width, (size / n) ** 2, exact=False)
            for lag in (1, 2):
                if n > lag:
                    count, pairs, batches = seen.both_in_batch(lag, position)
                    both = size * (size - 1) / (n * max(n - 1, 1))
                    told = f"both records {lag} apart in batch {position + 1}"
                    yield counted(PAIRS, told, count, pairs * batches, both, exact=False)
        yield from common.one_place(seen, lambda position: float(sizes[position]) / n)
        orders = special.gammaln(n + 1) - special.gammaln(sizes + 1).sum() - special.gammaln(n - sizes.sum() + 1)
        yield from common.repeats(seen, -float(orders), None)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """The places of records are looked at."""
        return visible_in_blocks(seen, level=level)

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """Replaced, from above: one Gaussian a pass (no amplification by shuffling is known here); below: the place."""
        upper = None
        if terms.replaced:
            upper = composed(GaussianStep(sigma=terms.noise_multiplier, sensitivity=2.0), terms.passes, terms.delta)[1]
        share = min(1.0, seen.total / (seen.records * seen.passes))
        bins, moved = terms.per_pass, (terms.moved, 0.0)
        lower = hidden_place(terms, bins=bins, passes=terms.whole_passes, moved=moved, share=share)
        return Priced(lower=lower, upper=upper, words="a Gaussian a pass; the record's hidden place")

    def text(self, seen: Observed) -> str:
        """The text says, too, whether the last batch of a pass is dropped."""
        dropped = "" if seen.total == seen.records * seen.passes else ", the last one of a pass dropped"
        return Scheme.text(self, seen) + dropped


def once_a_pass(seen: Observed) -> SchemeTest:
    """The fact that no record comes twice in a pass, and none is missing but those of a dropped batch."""
    several = int(np.count_nonzero(seen.pass_counts > 1))
    missing = int(np.count_nonzero(seen.pass_counts == 0))
    words = f"records twice in a pass: {several}, missing in a pass: {missing} (in {seen.passes} passes)"
    dropped = seen.records * seen.passes - seen.total
    too_many = several > 0 or (missing > 0 and dropped >= int(seen.sizes[0]) * seen.passes)
    return fact(PASSES, words, impossible=too_many)


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(Shuffled.kind, Shuffled)
