"""Accountant ``moments``: log moments of the privacy loss add, and Markov's inequality turns them into delta.

Result: ADADP Theorem 1 (Abadi et al. 2016, Theorem 2): alpha(lambda) = lambda D_(lambda+1) adds over steps, and
delta = min over lambda of e^(alpha(lambda) - lambda epsilon), over whole lambda. It is Proposition 1 of Renyi DP at the
whole orders lambda + 1 (equal numbers, another search). Lambda from 1 to `LAST`, whose best is found by bracketing,
right because alpha(lambda) is convex. Side: upper. Limit: whole orders lose where the best order is near 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.accounting.accountant_inputs import admit
from dpverify.accounting.order_search import Objective, least_whole
from dpverify.accounting.renyi_composed import classic_cost
from dpverify.core.composition import Composed, Composition, HasRenyi, Side
from dpverify.core.registry import Registry

LAST = 255
"""The largest lambda; Abadi et al. stop at 32, later programs at 255."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentsAccountant:
    """Whole moments up to `LAST`."""

    name: str = "moments"
    version: str = "1"
    source: str = "ADADP Thm 1 (Abadi et al. 2016, Thm 2)"
    side: Side = "upper"

    def refuses(self, composition: Composition) -> str | None:
        """A step without a Renyi curve, which is how moments are known here."""
        return composition.lacking(HasRenyi)

    def compose(self, composition: Composition) -> Composed:
        """The cost; no moment is evaluated before it is needed."""
        admit(self, composition)
        return classic_cost(composition, search=_whole_moments, infinity=False)


def _whole_moments(objective: Objective) -> tuple[float, float]:
    return least_whole(objective, 2, LAST + 1)


def register(registry: Registry) -> None:
    """Register the accountant."""
    registry.accountants.add("moments", MomentsAccountant())
