"""AD-2MOMENTS (Theorem 2): what an iteration of ADADP costs, whose second sum adapts to the first.

G_2 is a sum at a point that G_1 chose, so it is a batch of a mechanism that adapts to the first: its gradients may be
as long as C or shorter, depending on G_1. The pair that is compared: G_1 of a record of length C, then one of length C
where G_1 came out above a cut, and of `low` times C below it. Conditioned on G_1 the second moment is at most that of
length C, and so the joint one at most the product: an equality at low = 1. At whole orders all is a finite sum: E_Q (M
/ Q)^a 1(x > cut) = sum_k C(a, k) (1 - q)^(a - k) q^k e^(k (k - 1) / 2 s) P(N(k, s) > cut). Records added or removed;
the accountant's pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import flint
import numpy as np

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision
from reference_impls.optimizers.adadp import Adadp
from reference_impls.papers.adadp.lemmas.accounted_epsilon import RATE, SIGMAS
from reference_impls.papers.enclosures import quotient


@dataclass(frozen=True, kw_only=True)
class TwoMoments(Checked):
    """One iteration at one moment.

    Attributes
    ----------
    sigma : float
        Noise multiplier; the theorem asks for at least 1.
    q : float
        Sampling rate, in (0, 1).
    order : float
        Rounded, >= 2: lambda + 1.
    low : float
        Length of the second gradient over C where G_1 is below the cut, in [0, 1].
    cut : float
        In units of C.
    """

    sigma: Annotated[float, Between(0.3, 1e3)] = SIGMAS[0]
    q: Annotated[float, Between(1e-9, 1 - 1e-9)] = RATE
    order: Annotated[float, Between(2, 128)] = 17.0
    low: Annotated[float, Between(0, 1)] = 1.0
    cut: Annotated[float, Between(-1e3, 1e3)] = 0.0

    @property
    def whole(self) -> int:
        """The order, rounded to a whole number."""
        return round(self.order)

    def printed(self) -> Enclosed:
        """2 alpha_M(lambda) / lambda: the algorithm's own composition of an iteration, by its Renyi curve."""
        algorithm = Adadp(steps=1, rate=self.q, noise_multiplier=self.sigma)
        (part,) = algorithm.composition(round(1 / self.q)).parts
        assert isinstance(part.step, PoissonGaussianStep)
        value = part.count * float(part.step.renyi(np.array([float(self.whole)]))[0])
        return Enclosed(value=value, error=1e-9 * value)

    @at_working_precision
    def truth(self) -> Enclosed:
        """The joint divergence of (G_1, G_2)."""
        value = float(self._joint().mid())
        return Enclosed(value=value, error=1e-12 * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both as finite sums in balls."""
        one = self._moment(flint.arb(1)).log() / (self.whole - 1)
        return quotient(self._joint(), 2 * one)

    def _joint(self) -> flint.arb:
        above = self._above()
        low, high = self._moment(flint.arb(self.low)), self._moment(flint.arb(1))
        return (above * high + (high - above) * low).log() / (self.whole - 1)

    def _terms(self, length: flint.arb) -> list[flint.arb]:
        q, s, a = flint.arb(self.q), flint.arb(self.sigma) ** 2, self.whole
        return [
            math.comb(a, k) * (1 - q) ** (a - k) * q**k * (length**2 * (k * (k - 1)) / (2 * s)).exp()
            for k in range(a + 1)
        ]

    def _moment(self, length: flint.arb) -> flint.arb:
        """E_Q (M / Q)^order for a gradient of this length."""
        return sum(self._terms(length), flint.arb(0))

    def _above(self) -> flint.arb:
        """The part of the first sum's moment where it is above the cut."""
        root = flint.arb(2).sqrt() * flint.arb(self.sigma)
        tails = [((flint.arb(self.cut) - k) / root).erfc() / 2 for k in range(self.whole + 1)]
        return sum((term * tail for term, tail in zip(self._terms(flint.arb(1)), tails, strict=True)), flint.arb(0))
