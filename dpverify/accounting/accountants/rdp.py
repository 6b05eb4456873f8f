"""Accountant ``rdp``: Renyi curves add, then the tight conversion at the best order.

Results: BLSGD Lemma 3 (Mironov 2017) and Canonne, Kamath, Steinke 2020, Proposition 12; see ``conversion`` and
``renyi_composed``. Side: upper. Limit: Renyi curves forget the law, so the bound lies above the truth (for DP-SGD about
a tenth) however sharp the curves are. Not to be confused with ``rdp-classic``, the papers' own conversion.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.accounting.accountant_inputs import admit
from dpverify.accounting.renyi_composed import tight_cost
from dpverify.core.composition import Composed, Composition, HasRenyi, Side
from dpverify.core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class RdpAccountant:
    """Tight conversion, orders by optimisation."""

    name: str = "rdp"
    version: str = "1"
    source: str = "Mironov 2017, Prop. 1 (BLSGD L. 3); Canonne, Kamath, Steinke 2020, Prop. 12"
    side: Side = "upper"

    def refuses(self, composition: Composition) -> str | None:
        """A step without a Renyi curve."""
        return composition.lacking(HasRenyi)

    def compose(self, composition: Composition) -> Composed:
        """The cost; no curve is evaluated before it is needed."""
        admit(self, composition)
        return tight_cost(composition)


def register(registry: Registry) -> None:
    """Register the accountant."""
    registry.accountants.add("rdp", RdpAccountant())
