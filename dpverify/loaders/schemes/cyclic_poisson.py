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

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.poisson_gaussian_replace import PoissonGaussianReplaceStep
from dpverify.core.errors import InputError
from dpverify.core.rules import Between, Count
from dpverify.loaders.observed import Integer, Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.schemes.poisson import Poisson
from dpverify.loaders.terms import NOTHING, Priced, Terms, composed
from dpverify.loaders.test_of_scheme import STEPS, Test, fact

MOST = 16
"""Groups that are looked at one by one."""

LARGEST_RATE = 0.9
"""Of a group's batches; with more it is not told from batches that are always the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CyclicPoisson(Scheme):
    """``cyclic-poisson(rate=q, groups=k)``.

    Attributes
    ----------
    rate : float or None
        q in (0, 0.9], of a record in its group's batches.
    groups : int or None
        k, 2 or more; it divides the number of batches of a pass.
    """

    kind: ClassVar[str] = "cyclic-poisson"
    rank: ClassVar[int] = 55

    rate: Annotated[float, Between(0.0, LARGEST_RATE, open="low")] | None = None
    groups: Count | None = None

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[Test]:
        """Records keep to their groups: a fact; then the tests of Poisson sampling, group by group."""
        if self.groups is not None and seen.steps % self.groups:
            raise InputError(
                f"cyclic-poisson(groups={self.groups}) and {seen.steps} batches a pass",
                allowed="groups that divide the number of batches of a pass",
                remedy="cut the loader at a multiple: --batches-per-epoch (in Python batches_per_epoch)",
            )
        half = seen.passes // 2
        first, second = _part(seen, 0, half), _part(seen, half, seen.passes)
        groups = self.groups or _groups(first)
        words = f"records keep to one of {groups} groups of batches"
        yield fact(STEPS, f"no {words[8:]}", impossible=groups < 2)
        if groups < 2:
            return
        own = _own(first, groups)
        whole = first.total == int((own >= 0).sum()) * first.batches // groups
        words = "every record was in every batch of its group: nothing is sampled"
        yield fact(STEPS, words, impossible=whole, p=LARGEST_RATE**first.total)
        residue = second.step_of % groups
        strangers = int(np.count_nonzero((own[second.flat] >= 0) & (own[second.flat] != residue)))
        yield fact(STEPS, f"{strangers} inclusions in batches of another group", impossible=strangers > 0)
        if strangers:
            return
        looked = range(min(groups, MOST))
        for group in looked:
            members = np.flatnonzero(own == group)
            if members.size:
                inner = Poisson(rate=self.rate)
                inside, before = (_within(each, members, group, groups) for each in (second, pilot))
                yield from inner.tests(inside, before, spare=spare / len(looked))

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """A Poisson-sampled Gaussian for each batch of the record's group; a replaced record stays in its group."""
        settled = self.settled(seen)
        if settled.rate is None or settled.groups is None:
            return NOTHING
        kind = PoissonGaussianReplaceStep if terms.relation == "replace" else PoissonGaussianStep
        step = kind(q=settled.rate, sigma=terms.noise_multiplier)
        lower, _ = composed(step, max(1, terms.steps // settled.groups), terms.delta)
        _, upper = composed(step, math.ceil(terms.steps / settled.groups), terms.delta)
        told = "Poisson-sampled Gaussians of the record's group"
        return Priced(lower=lower, upper=upper, words=told if self.rate else f"{told}, at the rate that was seen")

    def text(self, seen: Observed) -> str:
        """With the rate and the number of groups."""
        settled = self.settled(seen)
        rate = "" if settled.rate is None else f"rate={settled.rate:.6g}, "
        return f"cyclic-poisson({rate}groups={settled.groups})"

    def settled(self, seen: Observed) -> CyclicPoisson:
        """With the numbers that were seen; without a rate where that is above `LARGEST_RATE`."""
        groups = self.groups or max(1, _groups(seen))
        rate = self.rate or max(seen.total, 1) * groups / (seen.records * seen.batches)
        return CyclicPoisson(rate=rate if rate <= LARGEST_RATE else None, groups=groups)


def _groups(seen: Observed) -> int:
    """The largest divisor of the batches of a pass by which every record keeps one remainder; 1 where none is seen."""
    for groups in range(seen.steps, 1, -1):
        if seen.steps % groups == 0 and seen.passes > 1:
            own = _own(seen, groups)
            if np.all(own[seen.flat] == seen.step_of % groups):
                return groups
    return 1


def _own(seen: Observed, groups: int) -> Integer:
    """For each record the remainder of a batch that it was in; -1 for those that were in none."""
    found = np.full(seen.records, -1, dtype=np.int64)
    found[seen.flat] = seen.step_of % groups
    return found


def _part(seen: Observed, begin: int, end: int) -> Observed:
    """Some of the passes."""
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


SCHEME = CyclicPoisson
