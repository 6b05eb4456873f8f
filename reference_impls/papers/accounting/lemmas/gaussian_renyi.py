"""ACC-GAUSS-RDP: the Renyi curve of the Gaussian mechanism, alpha Delta^2 / (2 sigma^2), against quadrature.

BLSGD Lemma 1, DISS Lemma 2.1. The truth is the integral of p^alpha q^(1-alpha) for two normal densities at distance
Delta = 1, which knows nothing of the closed form; proofs integrate it in ball arithmetic over a finite range, which
bounds it from below. The lemma is an equality, so the ratio is 1 up to the quadrature's error at every point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import flint
import numpy as np

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision
from dpverify.laws.density import GaussianLaw
from reference_impls.papers.enclosures import quotient
from reference_impls.papers.ranges import HUGE, RenyiOrder

_REACH = 12.0  # standard deviations around the integrand's peak: all but 1e-32 of it


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianRenyi(Checked):
    """One order and one noise scale at sensitivity 1.

    Attributes
    ----------
    order : float
        Above 1.
    sigma : float
        Standard deviation, > 0.
    """

    order: RenyiOrder = 2.0
    sigma: Annotated[float, Between(1e-6, HUGE)] = 1.0

    def printed(self) -> Enclosed:
        """The curve of the lemma at this order."""
        return Enclosed(value=float(GaussianStep(sigma=self.sigma).renyi(np.array([self.order]))[0]))

    def truth(self) -> Enclosed:
        """Quadrature, with its estimated error."""
        laws = (GaussianLaw(locations=np.array([at]), scales=np.array(self.sigma)).flat() for at in (1.0, 0.0))
        moved, still = laws
        return moved.against(still).renyi(self.order)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The integral over a finite range, from below, against the lemma in balls."""
        return quotient(self.truth_ball(), flint.arb(self.order) / (2 * flint.arb(self.sigma) ** 2))

    @at_working_precision
    def truth_ball(self) -> flint.arb:
        """The divergence over `_REACH` standard deviations around the integrand's peak: short of it by 1e-32."""
        order, sigma = flint.arb(self.order), flint.arb(self.sigma)

        def integrand(x: flint.acb, _analytic: bool) -> flint.acb:
            return ((-order * (x - 1) ** 2 + (order - 1) * x**2) / (2 * sigma**2)).exp()

        low, high = self.order - _REACH * self.sigma, self.order + _REACH * self.sigma
        moment = flint.acb.integral(integrand, low, high).real / (sigma * (2 * flint.arb.pi()).sqrt())
        return moment.log() / (order - 1)
