"""The Gaussian mechanism on a sample of fixed size without replacement, one record replaced: a sound bound.

Result (Zhu, Dong, Wang 2022, "Optimal Accounting of Differential Privacy via Characteristic Function", the proposition
on subset sampling under replacement; Balle, Barthe, Gaboardi 2018, Theorems 2 and 10): if the pair (P, Q) dominates a
mechanism under replacement in data sets of m records, then on m of n records, with q = m / n, its profile at e^epsilon
>= 1 is at most that of (1 - q) Q + q P against Q, in both orders. Proof: by advanced joint convexity it is q times the
divergence, at the epsilon_0 with e^epsilon = 1 + q (e^epsilon_0 - 1), of the samples with the record from a mixture of
the samples with its replacement and of those without it, and each of these is a replaced record away. The pair that
dominates has these losses above 0 and, mirrored, below. Here P and Q are
N(Delta, sigma^2) and N(0, sigma^2).

Side: upper. Where all other records add the same vector, one order of the neighbours attains the step
``mixture-gaussian`` with weights (1 - q, q) and shifts (0, Delta): what is lost lies below epsilon = 0 of each step.
Not to be confused with ``without-replacement``, a paper's printed bound, nor with Poisson samples.

The loss both ways: where a mechanism has delta(epsilon) <= H(epsilon) for all epsilon >= 0 and in both orders of the
neighbours, with H the profile of a pair (M, Q), no order of the neighbours alone need be dominated by (M, Q): below
epsilon = 0 the profile of (M, Q) may be smaller. What dominates is the symmetric pair whose losses above 0 are those of
(M, Q), whose losses below 0 are the same with both laws exchanged, and whose remaining mass is at 0 (Zhu, Dong, Wang
2022, Lemma 9: a profile is that of some pair). Then compositions may be bounded by compositions of it (their Theorem
10). Assumption: the masses above 0 under M and Q do not exceed 1 together. Side: upper as a bound on a mechanism, exact
for the profile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.accounting.loss_sources import GaussianLoss, Losses
from dpverify.accounting.privacy_loss import UNIT, Atoms, LossLaw, Masses, SampledLoss
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative, Positive, Probability
from dpverify.core.subjects import Float
from dpverify.definitions.parameters import PublicStep


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedSizeGaussianStep(PublicStep):
    """Gaussian noise on m of n records drawn without replacement, one record replaced."""

    kind = "fixed-size-gaussian"
    relation = "replace"

    q: Probability
    """Sampling ratio m / n in [0, 1]."""
    sigma: Positive
    """Standard deviation of the noise, finite, > 0."""
    sensitivity: NonNegative = 2.0
    """How far one replaced record of the sample moves its answer in L2, in the same unit; 2 C for sums clipped at C."""

    def validate(self) -> None:
        """The cost of the unsampled step is a double."""
        ratio = self.sensitivity / self.sigma
        if not math.isfinite(ratio * ratio):
            raise InputError(
                f"{self.kind}: sensitivity / sigma = {self.sensitivity:g} / {self.sigma:g}",
                allowed="a ratio whose square is a double",
            )

    @classmethod
    def examples(cls) -> tuple[FixedSizeGaussianStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(q=0.01, sigma=2),
            cls(q=0.3, sigma=1, sensitivity=1),
            cls(q=0.999, sigma=3),
            cls(q=1, sigma=2),
            cls(q=0, sigma=1),
            cls(q=0.5, sigma=1, sensitivity=0),
        )

    def losses(self) -> tuple[Losses, ...]:
        """The privacy loss of the pair that dominates, the same both ways."""
        moved = GaussianLoss(mu=self.sensitivity / self.sigma if self.q else 0.0)
        if self.q == 1 or moved.mu == 0:
            return ((moved,),)
        return ((BothWaysLoss(base=SampledLoss(base=moved, rate=self.q)),),)


@dataclass(frozen=True, slots=True, kw_only=True)
class BothWaysLoss:
    """The losses of `base` above 0, the same mirrored, and an atom at 0; `base` has no atoms."""

    base: LossLaw

    def atoms(self) -> Atoms:
        """Return the mass at 0: that which both parts leave."""
        found = self.base.masses(np.zeros(1))
        if found is None:
            return self.base.atoms()
        rest = 1.0 - float(found.p[1]) - float(found.q[1])
        error = float(found.p_error[0] + found.q_error[0]) + 4 * UNIT
        if rest <= error:
            rest = error
        return Atoms(p=np.array([rest]), loss=np.zeros(1), p_error=error / rest)

    def masses(self, thresholds: Float) -> Masses | None:
        """Return the base law's masses above 0, and those of the exchanged base law below 0."""
        up, down = self._above(thresholds), self._above(-thresholds[::-1])
        if up is None or down is None:
            return None
        down = down.reversed()
        return Masses(
            p=up.p + down.p, q=up.q + down.q, p_error=up.p_error + down.p_error, q_error=up.q_error + down.q_error
        )

    def _above(self, thresholds: Float) -> Masses | None:
        """The masses above 0 alone, in the same cells."""
        found = self.base.masses(np.concatenate(([0.0], np.maximum(thresholds, 0.0))))
        if found is None:
            return None
        inside = thresholds >= 0  # below 0 there is nothing to move across a threshold
        return Masses(
            p=found.p[1:],
            q=found.q[1:],
            p_error=np.where(inside, found.p_error[1:], 0.0),
            q_error=np.where(inside, found.q_error[1:], 0.0),
        )

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss reaches as far to both sides as the base law reaches up."""
        high = max(self.base.extent(tail)[1], 0.0)
        return -high, high

    def bounds(self) -> tuple[float, float]:
        """The upper bound of the base law, to both sides."""
        high = max(self.base.bounds()[1], 0.0)
        return -high, high


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("fixed-size-gaussian", FixedSizeGaussianStep)
