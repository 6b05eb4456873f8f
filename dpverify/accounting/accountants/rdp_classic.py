"""Accountant ``rdp-classic``: Renyi curves add, then the papers' Proposition 1 at the best order.

Results: BLSGD Lemma 3 and Proposition 1, DISS Proposition 2.1 (Mironov 2017, Propositions 1 and 3); order infinity is
the limit of Proposition 1. The curves are the steps' own, orders are real. Side: upper, never below ``rdp``. Not to be
confused with what the papers computed: that takes their printed curves and whole orders.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.accounting.accountant_inputs import admit
from dpverify.accounting.renyi_composed import classic_cost
from dpverify.core.composition import Composed, Composition, HasRenyi, Side
from dpverify.core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassicRdpAccountant:
    """Proposition 1, orders by optimisation."""

    name: str = "rdp-classic"
    version: str = "1"
    source: str = "BLSGD L. 3 and Prop. 1 (Mironov 2017, Prop. 1 and 3)"
    side: Side = "upper"

    def refuses(self, composition: Composition) -> str | None:
        """A step without a Renyi curve."""
        return composition.lacking(HasRenyi)

    def compose(self, composition: Composition) -> Composed:
        """The cost; no curve is evaluated before it is needed."""
        admit(self, composition)
        return classic_cost(composition)


def register(registry: Registry) -> None:
    """Register the accountant."""
    registry.accountants.add("rdp-classic", ClassicRdpAccountant())
