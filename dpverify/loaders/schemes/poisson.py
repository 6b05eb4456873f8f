"""Poisson sampling: each record is in each batch with probability q, independently of everything.

What the accounts of DP-SGD assume (Abadi et al. 2016; Mironov, Talwar, Zhang 2019). All counts are binomial, exactly.
A rate that is left open is bounded by Clopper and Pearson from all inclusions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep, PoissonGaussianStep
from dpverify.core.registry import Registry
from dpverify.core.rules import Share
from dpverify.loaders import common_tests as common
from dpverify.loaders.detectable import Visible, visible_in_rates
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.scheme_test import ORDER, PAIRS, PASSES, RATE, SIZES, SchemeTest, counted, fact
from dpverify.loaders.tails import between, most_likely
from dpverify.loaders.terms import Priced, Terms, composed
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper


@dataclass(frozen=True, slots=True, kw_only=True)
class Poisson(Scheme):
    """The scheme ``poisson(rate=q)``."""

    kind: ClassVar[str] = "poisson"
    rank: ClassVar[int] = 50

    rate: Share | None = None
    """q in (0, 1]."""

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """Rate, sizes, records, passes, pairs of batches and of records, places, repetitions."""
        n, cells = seen.records, seen.records * seen.batches
        twice = int(seen.repeated.sum())
        words = f"a record twice in the same batch, in {twice} of {seen.batches} batches"
        yield fact(PASSES, words, impossible=twice > 0)
        if self.rate is not None:
            yield counted(RATE, "inclusions", min(seen.total, cells), cells, self.rate)
        low, high = self._ends(seen, spare)
        guess = self.rate or min(max(pilot.total, 1) / (n * pilot.batches), 1.0)
        yield from self._sizes(seen, pilot, guess, low, high)
        yield from common.records_alike(seen, low, high, guess, seen.batches, exact=True)
        yield from common.passes_alike(seen, low, high, seen.steps, exact=True)
        yield from common.batches_apart(seen, low * low, high * high, exact=True)
        yield from common.records_apart(seen, low * low, high * high, exact=True)
        yield from common.each_pair(seen, low * low, high * high)
        yield from common.places(seen, low, high, exact=True)
        yield from self._drift(seen, low, high)
        yield from common.one_place(seen, lambda _position: high)
        same = math.log(max(high * high + (1 - high) ** 2, low * low + (1 - low) ** 2))
        yield from common.repeats(seen, n * seen.steps * same, n * same)
        alike = seen.alike_records
        p = seen.width**2 / 2 * math.exp(max(seen.batches * same, -745.0))
        yield fact(PAIRS, f"{alike} records were always in the same batches as another", impossible=alike > 0, p=p)

    def _ends(self, seen: Observed, spare: float) -> tuple[float, float]:
        if self.rate is not None:
            return self.rate, self.rate
        cells = seen.records * seen.batches
        count = min(seen.total, cells)
        return (
            float(clopper_pearson_lower(count, cells, alpha=spare / 2)),
            float(clopper_pearson_upper(count, cells, alpha=spare / 2)),
        )

    def _sizes(self, seen: Observed, pilot: Observed, guess: float, low: float, high: float) -> Iterator[SchemeTest]:
        """Choose sizes of batches to count: the pilot's first, the likeliest, none, and between quantiles."""
        n = seen.records
        edges = [each for each in most_likely(n, guess, common.LEVELS) if each > 0]
        parts = [*zip([0, *edges], [*(each - 1 for each in edges), n], strict=True), (0, 0)]
        first = min(int(pilot.sizes[0]), n)
        parts = [(first, first), (most_likely(n, guess, (0.5,))[0],) * 2, *parts]
        for a, b in dict.fromkeys(parts):
            count = int(np.count_nonzero((seen.sizes >= a) & (seen.sizes <= b)))
            words = (
                "batches without a record"
                if b == 0
                else f"batches of {a} to {b} records"
                if a < b
                else f"batches of {a} records"
            )
            yield counted(SIZES, words, count, seen.batches, *between(a, b, n, low, high))

    def _drift(self, seen: Observed, low: float, high: float) -> Iterator[SchemeTest]:
        """Inclusions in the first and last passes, and in the quarters of all batches."""
        edges = np.unique(np.linspace(0, seen.batches, 5).astype(int))
        for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            count = min(int(seen.sizes[a:b].sum()), seen.records * (b - a))
            words = f"inclusions in batches {a + 1} to {b}"
            yield counted(ORDER, words, count, seen.records * (b - a), low, high)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """Rates, and correlations of two inclusions."""
        return visible_in_rates(seen, level=level, given=self.rate is not None, exact=True)

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """The exact pair of the relation; a rate left open is taken at both of its limits."""
        low, high = self._ends(seen, alpha)
        kind = PoissonGaussianReplaceStep if terms.replaced else PoissonGaussianStep
        sigma, steps = terms.noise_multiplier, terms.steps
        lower, upper = composed(kind(q=high, sigma=sigma), steps, terms.delta)
        if low < high:
            lower = composed(kind(q=low, sigma=sigma), steps, terms.delta)[0]
        return Priced(lower=lower, upper=upper, words="Poisson-sampled Gaussian")

    def settled(self, seen: Observed) -> Poisson:
        """Take the rate that was seen."""
        rate = self.rate or min(max(seen.total, 1) / (seen.records * seen.batches), 1.0)
        return Poisson(rate=rate)


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(Poisson.kind, Poisson)
