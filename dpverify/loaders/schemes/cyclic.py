"""Cyclic batches: the records in their own order, over and over, cut into batches; nothing is random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.registry import Registry
from dpverify.loaders.detectable import Visible
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import SizedScheme
from dpverify.loaders.scheme_test import ORDER, SchemeTest, fact
from dpverify.loaders.schemes.shuffled_once import in_order
from dpverify.loaders.schemes.with_replacement import constant_sizes, same_sizes
from dpverify.loaders.terms import Priced, Terms, composed


@dataclass(frozen=True, slots=True, kw_only=True)
class Cyclic(SizedScheme):
    """The scheme ``cyclic(size=b)``.

    Attributes
    ----------
    size : int or None
        b, records of each batch but perhaps the last of a pass.
    """

    kind: ClassVar[str] = "cyclic"
    rank: ClassVar[int] = 10

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """The tests are facts alone."""
        yield same_sizes(seen, constant_sizes(self.size, pilot))
        passes = range(seen.passes)
        broken = sum(not in_order(one_pass(seen, each)) for each in passes)
        words = f"{broken} of {seen.passes} passes are not in the records' own order"
        yield fact(ORDER, words, impossible=broken > 0)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """Nothing is random."""
        return []

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """A Gaussian a pass, exactly where a record is replaced; where one is added, from below (at the end)."""
        step = GaussianStep(sigma=terms.noise_multiplier, sensitivity=terms.moved)
        lower = composed(step, terms.whole_passes, terms.delta)[0] if terms.whole_passes else 0.0
        upper = composed(step, terms.passes, terms.delta)[1] if terms.replaced else None
        return Priced(lower=lower, upper=upper, words="a Gaussian a pass: the place is known")


def one_pass(seen: Observed, place: int) -> Observed:
    """One of the passes."""
    sizes = seen.sizes.reshape(seen.passes, seen.steps)
    begin = int(sizes[:place].sum())
    flat = seen.flat[begin : begin + int(sizes[place].sum())]
    return Observed(records=seen.records, passes=1, steps=seen.steps, flat=flat, sizes=sizes[place])


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(Cyclic.kind, Cyclic)
