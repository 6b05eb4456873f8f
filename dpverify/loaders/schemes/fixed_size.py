"""Samples of a fixed size without replacement, a fresh one for each batch, independent of the others.

Inclusions within a batch are negatively associated, so counts of rising events have Chernoff's bound (`tails`); how
often one record is taken in all is binomial, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpverify.accounting.steps.fixed_size_gaussian import FixedSizeGaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.registry import Registry
from dpverify.loaders import common_tests as common
from dpverify.loaders.detectable import Visible, visible_in_rates
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import SizedScheme
from dpverify.loaders.scheme_test import PASSES, SIZES, SchemeTest, fact
from dpverify.loaders.terms import Priced, Terms, composed


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedSize(SizedScheme):
    """The scheme ``fixed-size(size=m)``.

    Attributes
    ----------
    size : int or None
        m, records of each batch.
    """

    kind: ClassVar[str] = "fixed-size"
    rank: ClassVar[int] = 60

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """Sizes and repetitions in a batch are facts; then records, passes, pairs, places."""
        n, size = seen.records, self.size or int(pilot.sizes[0])
        other = int(np.count_nonzero(seen.sizes != size))
        yield fact(SIZES, f"{other} of {seen.batches} batches have not {size} records", impossible=other > 0)
        twice = int(seen.repeated.sum())
        words = f"a record twice in the same batch, in {twice} of {seen.batches} batches"
        yield fact(PASSES, words, impossible=twice > 0)
        if other or twice or size > n or size == 0:
            return
        q = size / n
        yield from common.records_alike(seen, q, q, q, seen.batches, exact=False)
        yield from common.passes_alike(seen, q, q, seen.steps, exact=False)
        yield from common.batches_apart(seen, q * q, q * q, exact=False)
        both = size * (size - 1) / (n * max(n - 1, 1))
        yield from common.records_apart(seen, both, both, exact=False)
        yield from common.each_pair(seen, both, both)
        yield from common.places(seen, q, q, exact=False)
        yield from common.one_place(seen, lambda _position: q)
        subsets = float(special.gammaln(n + 1) - special.gammaln(size + 1) - special.gammaln(n - size + 1))
        yield from common.repeats(seen, -seen.steps * subsets, -subsets)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """Rates, and correlations of two inclusions."""
        return visible_in_rates(seen, level=level)

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """Replaced: Zhu, Dong, Wang 2022; added or removed: their Theorem 11. Attained by equal gradients.

        In both relations the sample holds another record instead, so its sum moves by two clipping norms.
        """
        size = self.size or max(1, int(seen.sizes[0]))
        q, sigma, steps = size / seen.records, terms.noise_multiplier, terms.steps
        lower, upper = composed(PoissonGaussianStep(q=q, sigma=sigma / 2), steps, terms.delta)
        if terms.replaced:
            upper = composed(FixedSizeGaussianStep(q=q, sigma=sigma, sensitivity=2.0), steps, terms.delta)[1]
        return Priced(lower=lower, upper=upper, words="Gaussian on samples of a fixed size")


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(FixedSize.kind, FixedSize)
