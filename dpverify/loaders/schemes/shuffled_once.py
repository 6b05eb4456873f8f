"""Shuffled once: a random order that is cut into batches, the same ones in every pass."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy import special

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.registry import Registry
from dpverify.loaders import common_tests as common
from dpverify.loaders.detectable import Visible
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import SizedScheme
from dpverify.loaders.scheme_test import ORDER, REPEATS, SchemeTest, counted, fact
from dpverify.loaders.schemes.shuffled import once_a_pass
from dpverify.loaders.schemes.with_replacement import constant_sizes, drawn, same_as, same_sizes
from dpverify.loaders.terms import Priced, Terms, composed, hidden_place


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffledOnce(SizedScheme):
    """The scheme ``shuffled-once(size=b)``.

    Attributes
    ----------
    size : int or None
        b, records of each batch but perhaps the last of a pass.
    """

    kind: ClassVar[str] = "shuffled-once"
    rank: ClassVar[int] = 20

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """All passes are alike, and the first one's order is any."""
        sizes = constant_sizes(self.size, pilot)
        yield same_sizes(seen, sizes)
        yield once_a_pass(seen)
        other = sum(each != pilot.pass_sets[0] for each in seen.pass_sets)
        yield fact(REPEATS, f"{other} of {seen.passes} passes are not like the first one", impossible=other > 0)
        if not same_as(seen, sizes) or other:
            return
        orders = special.gammaln(seen.records + 1) - special.gammaln(sizes + 1).sum()
        p = min(1.0, seen.records * math.exp(-min(float(orders), 745.0)))
        yield fact(ORDER, "batches are runs of the records' own order", impossible=in_order(pilot), p=p)
        for (words, count, rows, _), draws in zip(pilot.blocks(common.PARTS), drawn(pilot, sizes), strict=True):
            yield counted(ORDER, words, count, rows, draws / pilot.records, exact=False)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """The tests looked for everything that the scheme excludes."""
        return []

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """Replaced, from above: one Gaussian a pass; from below: the place, of all passes' sums together."""
        upper, passes = None, terms.whole_passes
        if terms.replaced:
            upper = composed(GaussianStep(sigma=terms.noise_multiplier, sensitivity=2.0), terms.passes, terms.delta)[1]
        lower = 0.0
        if passes and seen.total == seen.records * seen.passes:
            together = replace(terms, noise_multiplier=terms.noise_multiplier / math.sqrt(passes))
            lower = hidden_place(together, bins=terms.per_pass, passes=1, moved=(terms.moved, 0.0))
        return Priced(lower=lower, upper=upper, words="a Gaussian a pass; the record's hidden place")


def in_order(seen: Observed) -> bool:
    """Tell whether each record is followed by the next one, the last by the first."""
    return bool(seen.total > 1 and np.all((seen.flat[1:] - seen.flat[:-1]) % seen.records == 1 % seen.records))


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(ShuffledOnce.kind, ShuffledOnce)
