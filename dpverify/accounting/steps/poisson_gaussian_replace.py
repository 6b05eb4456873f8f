"""The Gaussian mechanism on a Poisson sample where one record is *replaced*: one step of DP-SGD, n public.

Each record takes part with probability q; a sum of vectors of norm at most 1 gets N(0, sigma^2) noise. Result: the
worst neighbours give (1 - q) N(0, sigma^2) + q N(1, sigma^2) against (1 - q) N(0, sigma^2) + q N(-1, sigma^2), exactly
(Lebeda, Regehr, Kamath, Steinke 2024, "Avoiding Pitfalls for Privacy Accounting of Subsampled Mechanisms under
Composition", use this pair). That it dominates: given the other records, the laws are mixtures of N(0), N(u) and of
N(0), N(v) with |u|, |v| <= 1, and at any a >= 1, with x from N(u), the hockey-stick divergence is

    q E(1 - b X - a Y)_+,  b = (a - 1)(1 - q) / q,  X = dN(0) / dN(u),  Y = dN(v) / dN(u).

log X and log Y are normal with covariances |u|^2, |u - v|^2, |u|^2 - u.v over sigma^2, and E X = E Y = 1. (1 - s)_+ is
convex in s = b X + a Y, so the expectation rises with every entry of the covariance (Kahane's comparison), and all are
largest at v = -u, |u| = 1. Below a = 1 it follows as both orders of the neighbours are neighbours. The expectation
given the past is bounded in the same way for whatever weights b and a, so adaptively chosen steps compose.

Not to be confused with :mod:`~dpverify.accounting.steps.poisson_gaussian` (a record added or removed), which costs
less than half, nor with samples of a fixed size (:mod:`~dpverify.accounting.steps.fixed_size_gaussian`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.accounting.loss_gaussian import GaussianLoss
from dpverify.accounting.loss_replaced import ReplacedGaussianLoss
from dpverify.accounting.loss_sources import Losses
from dpverify.accounting.public_step import PublicStep
from dpverify.core.errors import InputError
from dpverify.core.rules import Positive, Probability


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonGaussianReplaceStep(PublicStep):
    """Gaussian noise on a Poisson sample, one record replaced.

    Attributes
    ----------
    q : float
        Sampling probability in [0, 1].
    sigma : float
        Noise multiplier: standard deviation over the clipping norm C, though the sum moves by up to 2 C; finite, > 0.

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "poisson-gaussian-replace"
    relation = "replace"

    q: Probability
    sigma: Positive

    def validate(self) -> None:
        """The cost of the unsampled step is a double."""
        if not math.isfinite(4 / self.sigma / self.sigma):
            raise InputError(f"{self.kind}: sigma = {self.sigma}", allowed="a sigma with 4 / sigma^2 a double")

    @classmethod
    def examples(cls) -> tuple[PoissonGaussianReplaceStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(q=256 / 50000, sigma=1),
            cls(q=0.3, sigma=0.5),
            cls(q=0.999, sigma=3),
            cls(q=1, sigma=2),
            cls(q=0, sigma=1),
        )

    def losses(self) -> tuple[Losses, ...]:
        """The exact privacy loss, the same both ways."""
        if self.q in (0, 1):
            return ((GaussianLoss(mu=2 * self.q / self.sigma),),)
        return ((ReplacedGaussianLoss(mu=1 / self.sigma, rate=self.q),),)
