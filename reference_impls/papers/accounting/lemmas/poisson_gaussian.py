"""The Poisson amplification lemma for Gaussian noise: the printed sum, the tight curve, and the exact law in balls.

With P = N(1, sigma^2), Q = N(0, sigma^2) and M = (1 - q) Q + q P:

- Towards Q, the moment E_Q (M / Q)^alpha is the binomial sum of C(alpha, l) q^l (1 - q)^(alpha - l) e^((l - 1) l / (2
  sigma^2)): at whole orders that sum *is* the exact divergence, no bound of it. It is the printed sum with 1 for the
  factor 3, so a proof of this direction cannot exceed the lemma as printed: for Gaussian noise that is a theorem. It
  does exceed a printed sum that promises less.
- Away from Q, E_Q (Q / M)^(alpha - 1) is integrated in ball arithmetic over a finite range, which bounds it from below.

Not to be confused with a proof of the lemma, nor with `PoissonGaussianStep`, whose floats the search uses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import flint

from dpverify.accounting.amplification_printed import ROUNDING, poisson_bound
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import Float
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.accounting.lemmas.amplification_balls import gaussian_ball, poisson_ball
from reference_impls.papers.enclosures import quotient
from reference_impls.papers.ranges import HUGE, TINY, FromTwo

_CURVE_ERROR = 1e-11  # relative, of the tight curve of the subsampled Gaussian, upwards
_REACH = 12.0  # standard deviations beyond the integrand's outermost peaks


def printed_bound(q: float, curve: Callable[[Float], Float], order: int) -> Enclosed:
    """The lemma at one order."""
    value = float(poisson_bound(q, curve, [float(order)])[0])
    return Enclosed(value=value, error=ROUNDING * value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonGaussian(Checked):
    """The lemma for Gaussian noise.

    Attributes
    ----------
    q : float
        Sampling probability in (0, 1].
    sigma : float
        Noise on sensitivity 1, > 0.
    order : float
        Rounded, >= 2.
    """

    q: Annotated[float, Between(TINY, 1)] = 0.005
    sigma: Annotated[float, Between(1e-3, HUGE)] = 2.0
    order: FromTwo = 8.0

    @property
    def whole(self) -> int:
        """The order, rounded to a whole number."""
        return max(round(self.order), 2)

    def printed(self) -> Enclosed:
        """The lemma's bound."""
        return printed_bound(self.q, GaussianStep(sigma=self.sigma).renyi, self.whole)

    def truth(self) -> Enclosed:
        """The tight curve, both directions; raised by its own error, which is taken off again."""
        value = float(PoissonGaussianStep(q=self.q, sigma=self.sigma).renyi([self.whole])[0])
        return Enclosed(value=value, error=_CURVE_ERROR * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The larger of the two directions of the exact law, the second from below, against the lemma in balls."""
        towards = poisson_ball(flint.arb(self.q), self._curve(), self.whole, factor=1)
        away = self.proved_away()
        truth = towards if away is None else towards.max(away)
        return quotient(truth, poisson_ball(flint.arb(self.q), self._curve(), self.whole))

    @at_working_precision
    def proved_away(self) -> flint.arb | None:
        """D_alpha(Q, M) from below, a ball around its integral over a finite range; None when the balls get too wide.

        That happens near q = 1, where the two directions are equal.
        """
        q, variance, power = flint.arb(self.q), flint.arb(self.sigma) ** 2, self.whole - 1

        def integrand(x: flint.acb, _analytic: bool) -> flint.acb:
            mixture = 1 - q + q * ((2 * x - 1) / (2 * variance)).exp()
            # meromorphic: a whole power has no branches, and a pole is a division by a ball around 0
            return (-(x**2) / (2 * variance)).exp() / mixture**power

        # Q^alpha P^(1 - alpha), what is left at q = 1, peaks at 1 - alpha.
        low, high = -power - _REACH * self.sigma, _REACH * self.sigma
        moment = flint.acb.integral(integrand, low, high).real / (2 * flint.arb.pi() * variance).sqrt()
        found = moment.log() / power
        return found if found.is_finite() else None

    def _curve(self) -> Callable[[int], flint.arb]:
        return gaussian_ball(GaussianStep(sigma=self.sigma))
