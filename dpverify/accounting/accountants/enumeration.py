"""Exact composition of steps with finitely many outcomes: the independent judge of the other accountants.

Basis: :mod:`~dpverify.accounting.enumeration`. k equal steps are listed by type, different steps multiplied;
no grid, no order, no theorem but the definition of composition. Directions are composed as in
:mod:`~dpverify.accounting.loss_sources`: the first pairs of all steps together, the second together.

The bracket is as narrow as floating point allows; :attr:`Enumerated.pairs` prove its numbers in ball arithmetic.
Limits: discrete steps, at most `LARGEST_TABLE` merged outcomes. Adaptively chosen steps are a tree, for
:func:`~dpverify.accounting.enumeration.adaptive`, not a multiset.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dpverify.accounting.accountant_inputs import admit, checked_delta, checked_epsilon
from dpverify.accounting.enumeration import number_of_types, repeated
from dpverify.accounting.loss_sources import ONE_ORDER, order_matters
from dpverify.core.composition import Bracket, Composition, HasLaws, Side
from dpverify.core.evidence import Enclosed
from dpverify.core.registry import Registry
from dpverify.core.subjects import LawPair
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.product import LARGEST_TABLE, ProductPair


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumerated:
    """A composition as tables."""

    pairs: tuple[LawPair, ...]
    """The laws of the whole transcript, merged by type, for each direction; empty when nothing is released."""
    ordered: bool = False
    """Whether it matters which pairs of different steps stand together; notes say so then."""

    def epsilon(self, delta: float) -> Bracket:
        """Smallest epsilon >= 0 at `delta` in [0, 1), exact up to rounding."""
        delta = checked_delta(delta)
        return self._worst(pair.epsilon(delta) for pair in self.pairs)

    def delta(self, epsilon: float) -> Bracket:
        """The hockey-stick divergence at `epsilon` >= 0, exact up to rounding."""
        epsilon = checked_epsilon(epsilon)
        found = self._worst(pair.delta(epsilon) for pair in self.pairs)
        return Bracket(lower=min(found.lower, 1.0), upper=min(found.upper, 1.0), note=found.note)

    def renyi(self, order: float) -> Bracket:
        """Renyi divergence of `order` in [1, inf], exact up to rounding, in the worse direction."""
        return self._worst(pair.renyi(order) for pair in self.pairs)

    def _worst(self, found: Iterable[Enclosed]) -> Bracket:
        ends = [(one.lower if math.isfinite(one.error) else 0.0, one.upper) for one in found]
        return Bracket(
            lower=max((max(low, 0.0) for low, _ in ends), default=0.0),
            upper=max((high for _, high in ends), default=0.0),
            note="all outcomes listed" + f"; {ONE_ORDER}" * self.ordered,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumerationAccountant:
    """Every outcome listed."""

    name: str = "enumeration"
    version: str = "1"
    source: str = "definition of composition; types as in Csiszar and Koerner 1981"
    side: Side = "bracket"

    def refuses(self, composition: Composition) -> str | None:
        """Steps without finite laws; too many outcomes."""
        lacking = composition.lacking(HasLaws)
        if lacking is not None:
            return lacking
        for pairs in _factors(composition):
            size = 1
            for pair, count, text in pairs:
                if not isinstance(pair, DiscretePair):
                    return f"{text} has infinitely many outcomes"
                size *= number_of_types(pair, count)
            if size > LARGEST_TABLE:
                return f"{size:.3g} merged outcomes: more than {LARGEST_TABLE}"
        return None

    def compose(self, composition: Composition) -> Enumerated:
        """The tables in each direction; an empty composition costs nothing."""
        admit(self, composition)
        tables = (
            [repeated(pair, count) for pair, count, _ in pairs if isinstance(pair, DiscretePair) and not _same(pair)]
            for pairs in _factors(composition)
        )
        return Enumerated(
            pairs=tuple(
                table[0] if len(table) == 1 else ProductPair(factors=tuple(table)) for table in tables if table
            ),
            ordered=order_matters(composition),
        )


def _same(pair: DiscretePair) -> bool:
    """One certain outcome under both laws: nothing is released, exactly."""
    return pair.log_p.size == 1


def _factors(composition: Composition) -> list[list[tuple[LawPair, int, str]]]:
    """Return for each direction each step's pair, its count and its name."""
    found = [(part.step.laws(), part.count, part.step.text()) for part in composition if isinstance(part.step, HasLaws)]
    many = max((len(laws) for laws, _, _ in found), default=1)
    return [[(laws[min(way, len(laws) - 1)], count, text) for laws, count, text in found] for way in range(many)]


def register(registry: Registry) -> None:
    """Register the accountant."""
    registry.accountants.add("enumeration", EnumerationAccountant())
