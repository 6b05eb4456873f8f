"""The privacy loss of a continuous law beside a randomised response: the loss moved by +epsilon or -epsilon.

The pair of laws of an epsilon-DP mechanism of which nothing else is known has two outcomes, of losses +-epsilon
(Kairouz, Oh, Viswanath 2015). Run beside another mechanism, the losses add up. One law of both is what a Poisson sample
needs that both were computed on. Limits: a base without atoms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.accounting.privacy_loss import NO_ATOMS, UNIT, Atoms, LossLaw, Masses
from dpverify.core.subjects import Float


@dataclass(frozen=True, slots=True, kw_only=True)
class WithResponseLoss:
    """`base`, which has no atoms, and an independent response with `epsilon` > 0."""

    base: LossLaw
    epsilon: float

    def atoms(self) -> Atoms:
        """There are none."""
        return NO_ATOMS

    def masses(self, thresholds: Float) -> Masses | None:
        """Both outcomes' masses, weighted by their chances under P and under Q."""
        likely, unlikely = self.base.masses(thresholds - self.epsilon), self.base.masses(thresholds + self.epsilon)
        if likely is None or unlikely is None:
            return None
        rare = 1.0 / (1.0 + math.exp(self.epsilon))
        often = 1.0 - rare
        slack = 1 + 8 * UNIT * (1 + self.epsilon)
        return Masses(
            p=often * likely.p + rare * unlikely.p,
            q=rare * likely.q + often * unlikely.q,
            p_error=slack * (often * likely.p_error + rare * unlikely.p_error) + 8 * UNIT * rare,
            q_error=slack * (rare * likely.q_error + often * unlikely.q_error) + 8 * UNIT * rare,
        )

    def extent(self, tail: float) -> tuple[float, float]:
        """The base law's, wider by epsilon."""
        low, high = self.base.extent(tail)
        return low - self.epsilon, high + self.epsilon

    def bounds(self) -> tuple[float, float]:
        """The base law's, wider by epsilon."""
        low, high = self.base.bounds()
        return low - self.epsilon, high + self.epsilon
