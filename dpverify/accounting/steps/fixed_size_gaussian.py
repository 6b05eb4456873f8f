"""The Gaussian mechanism on a sample of fixed size without replacement, one record replaced: a sound bound.

Result (Zhu, Dong, Wang 2022, "Optimal Accounting of Differential Privacy via Characteristic Function", the proposition
on subset sampling under replacement; Balle, Barthe, Gaboardi 2018, Theorems 2 and 10): if the pair (P, Q) dominates a
mechanism under replacement in data sets of m records, then on m of n records, with q = m / n, its profile at e^epsilon
>= 1 is at most that of (1 - q) Q + q P against Q, in both orders. Proof: by advanced joint convexity it is q times the
divergence, at the epsilon_0 with e^epsilon = 1 + q (e^epsilon_0 - 1), of the samples with the record from a mixture of
the samples with its replacement and of those without it, and each of these is a replaced record away. The pair that
dominates has these losses above 0 and, mirrored, below (:mod:`~dpverify.accounting.loss_both_ways`). Here P and Q are
N(Delta, sigma^2) and N(0, sigma^2).

Side: upper. Where all other records add the same vector, one order of the neighbours attains the step
``mixture-gaussian`` with weights (1 - q, q) and shifts (0, Delta): what is lost lies below epsilon = 0 of each step.
Not to be confused with ``without-replacement``, a paper's printed bound, nor with Poisson samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.accounting.loss_both_ways import BothWaysLoss
from dpverify.accounting.loss_derived import SampledLoss
from dpverify.accounting.loss_gaussian import GaussianLoss
from dpverify.accounting.loss_sources import Losses
from dpverify.accounting.public_step import PublicStep
from dpverify.core.errors import InputError
from dpverify.core.rules import NonNegative, Positive, Probability


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedSizeGaussianStep(PublicStep):
    """Gaussian noise on m of n records drawn without replacement, one record replaced.

    Attributes
    ----------
    q : float
        Sampling ratio m / n in [0, 1].
    sigma : float
        Standard deviation of the noise, finite, > 0.
    sensitivity : float
        How far one replaced record of the sample moves its answer in L2, in the same unit; 2 C for sums clipped at C.

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "fixed-size-gaussian"
    relation = "replace"

    q: Probability
    sigma: Positive
    sensitivity: NonNegative = 2.0

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
