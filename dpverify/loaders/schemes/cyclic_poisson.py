"""Cyclic Poisson sampling: the records lie in k public groups, and each batch is a Poisson sample of the next group.

Choquette-Choo et al. 2023 ("(Amplified) Banded Matrix Factorization"), b-minimum separation by groups. A record comes
in every k-th batch at most, so its inclusions depend on one another: it is no Poisson sampling of all records, and
costs as much as one Poisson-sampled Gaussian every k batches, at the rate within its group.

The groups are read off the first half of the passes; the second half is held against Poisson sampling within each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep, PoissonGaussianStep
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between, Count
from dpverify.loaders.detectable import Visible
from dpverify.loaders.observed import Integer, Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.scheme_test import STEPS, SchemeTest, fact
from dpverify.loaders.schemes.poisson import Poisson
from dpverify.loaders.terms import NOTHING, Priced, Terms, composed
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper

MOST = 16
"""Groups that are looked at one by one."""

LARGEST_RATE = 0.9
"""Of a group's batches; with more it is not told from batches that are always the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CyclicPoisson(Scheme):
    """The scheme ``cyclic-poisson(rate=q, groups=k)``."""

    kind: ClassVar[str] = "cyclic-poisson"
    rank: ClassVar[int] = 55

    rate: Annotated[float, Between(0.0, LARGEST_RATE, open="low")] | None = None
    """q in (0, 0.9], of a record in its group's batches."""
    groups: Count | None = None
    """k, 2 or more; it divides the number of batches of a pass."""

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """Records keep to their groups: a fact; then the tests of Poisson sampling, group by group."""
        if self.groups is not None and seen.steps % self.groups:
            raise InputError(
                f"cyclic-poisson(groups={self.groups}) and {seen.steps} batches a pass",
                allowed="groups that divide the number of batches of a pass",
                remedy="cut the loader at a multiple: --batches-per-epoch (in Python batches_per_epoch)",
            )
        weakest = [fact(STEPS, "a pass of one batch has no groups", impossible=True)]
        for groups in [self.groups] if self.groups else _divisors(seen.steps):
            found = list(self._in_groups(seen, pilot, groups, spare))
            if min(each.p for each in found) * len(found) > min(each.p for each in weakest) * len(weakest):
                weakest = found  # ruled out only where every number of groups is
        yield from weakest

    def _in_groups(self, seen: Observed, pilot: Observed, groups: int, spare: float) -> Iterator[SchemeTest]:
        """The tests of one number of groups."""
        strangers = _strangers(seen, groups)
        words = f"with {groups} groups, {strangers} inclusions in batches of another group"
        yield fact(STEPS, words, impossible=strangers > 0)
        if strangers:
            return
        half = seen.passes // 2
        first, second = _part(seen, 0, half), _part(seen, half, seen.passes)
        own = _own(first, groups)
        whole = first.total == int((own >= 0).sum()) * first.batches // groups
        words = "every record was in every batch of its group: nothing is sampled"
        yield fact(STEPS, words, impossible=whole, p=LARGEST_RATE**first.total)
        looked = range(min(groups, MOST))
        for group in looked:
            members = np.flatnonzero(own == group)
            if members.size:
                inner = Poisson(rate=self.rate)
                inside, before = (_within(each, members, group, groups) for each in (second, pilot))
                yield from inner.tests(inside, before, spare=spare / len(looked))

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """The tests looked for everything that the scheme excludes."""
        return []

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """A Poisson-sampled Gaussian for each batch of the record's group, at the limits of a rate that is left open.

        A replaced record stays in its group. Lower limit: of the whole steps of every group.
        """
        groups = self.groups or _groups(seen)
        if groups < 2 or seen.steps % groups:
            return NOTHING
        cells = seen.records * seen.batches // groups
        low = high = self.rate or 0.0
        if self.rate is None:
            count = min(seen.total, cells)
            low = float(clopper_pearson_lower(count, cells, alpha=alpha / 2))
            high = float(clopper_pearson_upper(count, cells, alpha=alpha / 2))
        kind = PoissonGaussianReplaceStep if terms.replaced else PoissonGaussianStep
        sigma, steps = terms.noise_multiplier, terms.steps
        lower, _ = composed(kind(q=low, sigma=sigma), max(1, steps // groups), terms.delta)
        _, upper = composed(kind(q=high, sigma=sigma), math.ceil(steps / groups), terms.delta)
        return Priced(lower=lower, upper=upper, words="Poisson-sampled Gaussians of the record's group")

    def settled(self, seen: Observed) -> CyclicPoisson:
        """Take the numbers that were seen; without a rate where that is above `LARGEST_RATE`."""
        groups = self.groups or max(1, _groups(seen))
        rate = self.rate or max(seen.total, 1) * groups / (seen.records * seen.batches)
        return CyclicPoisson(rate=rate if rate <= LARGEST_RATE else None, groups=groups)


def _divisors(steps: int) -> list[int]:
    """The largest first, without 1."""
    return [each for each in range(steps, 1, -1) if steps % each == 0]


def _groups(seen: Observed) -> int:
    """The largest number of groups to which every record keeps; 1 where there is none."""
    return next((each for each in _divisors(seen.steps) if not _strangers(seen, each)), 1)


def _strangers(seen: Observed, groups: int) -> int:
    """Inclusions in batches of another group than the record's last inclusion."""
    return int(np.count_nonzero(_own(seen, groups)[seen.flat] != seen.step_of % groups))


def _own(seen: Observed, groups: int) -> Integer:
    """Return for each record the remainder of a batch that it was in; -1 for those that were in none."""
    found = np.full(seen.records, -1, dtype=np.int64)
    found[seen.flat] = seen.step_of % groups
    return found


def _part(seen: Observed, begin: int, end: int) -> Observed:
    ends = np.concatenate([[0], np.cumsum(seen.sizes)])
    a, b = begin * seen.steps, end * seen.steps
    return Observed(
        records=seen.records,
        passes=end - begin,
        steps=seen.steps,
        flat=seen.flat[ends[a] : ends[b]],
        sizes=seen.sizes[a:b],
    )


def _within(seen: Observed, members: Integer, group: int, groups: int) -> Observed:
    """The batches of one group, with its members numbered from 0."""
    number = np.full(seen.records, -1, dtype=np.int64)
    number[members] = np.arange(members.size)
    here = (seen.step_of % groups == group) & (number[seen.flat] >= 0)
    steps = np.arange(group, seen.batches, groups)
    sizes = np.bincount(seen.step_of[here], minlength=seen.batches)[steps]
    return Observed(
        records=int(members.size),
        passes=seen.passes,
        steps=seen.steps // groups,
        flat=number[seen.flat[here]],
        sizes=sizes,
    )


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(CyclicPoisson.kind, CyclicPoisson)
