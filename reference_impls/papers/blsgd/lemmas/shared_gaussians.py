"""BL-AMP-SHARED (b), the abstract rule: two releases on one Poisson sample, each charged as if it had its own.

The rule speaks of any two mechanisms; the two here are Gaussian, and the record is in both or in neither. Together
they are one Gaussian release whose curve is the sum of the two, so the divergence of the mixture from the law without
the record is, at whole orders, Lemma 4's sum without its factor 3. One direction of the two; balls, to the last double.
``charge="together"`` is the repair: Lemma 4 for the sum of the curves. Not to be confused with Algorithm 2's own
iteration, a gradient and a search on one sample: :mod:`~reference_impls.papers.blsgd.lemmas.shared_sample`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import flint

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.accounting.lemmas.amplification_balls import BallCurve, poisson_ball
from reference_impls.papers.enclosures import quotient


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedGaussians(Checked):
    """The abstract rule: two Gaussian releases, budgets `rho_1` and `rho_2`, on one Poisson sample.

    Attributes
    ----------
    q, order, rho_1, rho_2 : float
        As in :class:`~reference_impls.papers.blsgd.lemmas.shared_sample.SharedSample`.
    charge : "apart" or "together"
        Lemma 4 for each, or for their sum.
    """

    q: Annotated[float, Between(1e-9, 1 - 1e-9)] = 0.1
    order: Annotated[float, Between(2, 64)] = 2.0
    rho_1: Annotated[float, Between(1e-12, 100)] = 2e-6
    rho_2: Annotated[float, Between(1e-12, 100)] = 2e-6
    charge: Literal["apart", "together"] = "apart"

    def _printed(self, order: int) -> flint.arb:
        rhos = [(self.rho_1,), (self.rho_2,)] if self.charge == "apart" else [(self.rho_1, self.rho_2)]
        return sum((poisson_ball(flint.arb(self.q), _joint(*each), order) for each in rhos), flint.arb(0))

    def _truth(self, order: int) -> flint.arb:
        return poisson_ball(flint.arb(self.q), _joint(self.rho_1, self.rho_2), order, factor=1)

    @at_working_precision
    def printed(self) -> Enclosed:
        """The lemma, to the last double."""
        return Enclosed(value=float(self._printed(round(self.order))))

    @at_working_precision
    def truth(self) -> Enclosed:
        """The divergence of the mixture from the law without the record, to the last double."""
        return Enclosed(value=float(self._truth(round(self.order))))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        return quotient(self._truth(round(self.order)), self._printed(round(self.order)))


def _joint(*rhos: float) -> BallCurve:
    total = sum((flint.arb(rho) for rho in rhos), flint.arb(0))
    return lambda order: order * total
