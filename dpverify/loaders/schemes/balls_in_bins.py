"""Balls in bins (random allocation): in each pass every record goes to one of the T batches, independently of others.

Chua et al. 2024, "Balls-and-Bins Sampling for DP-SGD". Records are independent, so counts over records are binomial.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.loaders import common_tests as common
from dpverify.loaders.detectable import Visible, visible_in_blocks
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.scheme_test import ORDER, PAIRS, PASSES, SIZES, STEPS, SchemeTest, counted, fact
from dpverify.loaders.tails import at_least, most_likely
from dpverify.loaders.terms import Priced, Terms, composed, hidden_place


@dataclass(frozen=True, slots=True, kw_only=True)
class BallsInBins(Scheme):
    """The scheme ``balls-in-bins(batches=T)``."""

    kind: ClassVar[str] = "balls-in-bins"
    rank: ClassVar[int] = 30

    batches: Count | None = None
    """T, batches of a pass."""

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """Once a pass: a fact; then sizes, places, the next pass, neighbours."""
        n, bins = seen.records, self.batches or pilot.steps
        words = f"{seen.steps} batches a pass"
        yield fact(SIZES, words, impossible=seen.steps != bins)
        wrong = int(np.count_nonzero(seen.pass_counts != 1))
        words = f"records never or several times in a pass: {wrong} of {n * seen.passes}"
        yield fact(PASSES, words, impossible=wrong > 0)
        if wrong or seen.steps != bins:
            return
        q = 1.0 / bins
        for level in most_likely(n, q, common.LEVELS):
            count = int(np.count_nonzero(seen.sizes >= level))
            p = at_least(level, n, q)
            yield counted(SIZES, f"batches of {level} records or more", count, seen.batches, p, exact=False)
        for text, count, rows, batches in seen.blocks(common.PARTS):
            yield counted(ORDER, text, count, rows * seen.passes, batches / seen.passes * q)
        if seen.passes > 1:
            count, pairs = seen.in_both_batches(seen.steps)
            told = "records at the same position in the next pass"
            yield counted(STEPS, told, count, pairs // seen.steps * seen.width, q)
        for lag in common.record_lags(seen):
            count, rows, _ = seen.both_in_batch(lag)
            yield counted(PAIRS, f"records {lag} apart in one batch", count, rows * seen.passes, q)
        yield from common.each_pair_a_pass(seen, q)
        yield from common.one_place(seen, lambda _position: q)
        yield from common.repeats(seen, -n * math.log(bins), None)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """The places of records are looked at."""
        return visible_in_blocks(seen, level=level, exact=True)

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """A Gaussian a pass bounds the cost from above (the mixture is convex), the hidden place from below."""
        step = GaussianStep(sigma=terms.noise_multiplier, sensitivity=terms.moved)
        upper = composed(step, terms.passes, terms.delta)[1]
        moved = (1.0, -1.0) if terms.replaced else (1.0, 0.0)
        lower = hidden_place(terms, bins=terms.per_pass, passes=terms.whole_passes, moved=moved)
        return Priced(lower=lower, upper=upper, words="a Gaussian a pass; the record's hidden place")

    def settled(self, seen: Observed) -> BallsInBins:
        """Take the number of batches that was seen."""
        return BallsInBins(batches=self.batches or seen.steps)


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(BallsInBins.kind, BallsInBins)
