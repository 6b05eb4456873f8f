"""The Gaussian mechanism: a query of L2 sensitivity Delta plus N(0, sigma^2) noise in every coordinate.

Results: D_alpha = alpha Delta^2 / (2 sigma^2) in both directions (BLSGD Lemma 1, DISS Lemma 2.1; Mironov 2017,
Proposition 7), attained by neighbours at distance Delta; the same pair is exactly (Delta / sigma)-GDP (Dong, Roth, Su
2019, Theorem 2.7). Exact up to a few units of rounding. Not to be confused with a *noise multiplier* sigma / Delta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.accounting.accountant_inputs import LEAST
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.public_step import PublicStep
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative, Positive
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.density import GaussianLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianStep(PublicStep):
    """Gaussian noise on a query, under whichever relation the sensitivity is stated for.

    Attributes
    ----------
    sigma : float
        Standard deviation, finite, > 0, in the query's unit.
    sensitivity : float
        L2 sensitivity, finite, >= 0, in the same unit.

    Raises
    ------
    InputError
        For anything else, or when (sensitivity / sigma)^2 exceeds every double.
    """

    kind = "gaussian"

    sigma: Positive
    sensitivity: NonNegative = 1.0

    def validate(self) -> None:
        """The cost is a double."""
        if not math.isfinite(self.mu() * self.mu()):
            raise InputError(
                f"gaussian: sensitivity / sigma = {self.sensitivity:g} / {self.sigma:g}",
                allowed="a ratio whose square is a double",
                remedy="so little noise hides nothing",
            )

    @classmethod
    def examples(cls) -> tuple[GaussianStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(sigma=1),
            cls(sigma=8.5),
            cls(sigma=0.1, sensitivity=2),
            cls(sigma=1e4),
            cls(sigma=1, sensitivity=0),
        )

    def mu(self) -> float:
        """sensitivity / sigma; above 0 unless the sensitivity is 0."""
        return max(self.sensitivity / self.sigma, LEAST) if self.sensitivity > 0 else 0.0

    def renyi(self, orders: Float) -> Float:
        """alpha mu^2 / 2, exact in both directions; shape of `orders`."""
        with np.errstate(over="ignore"):
            bounds = real_orders(orders) * (self.mu() * self.mu() / 2)
        return np.maximum(bounds, LEAST) if self.sensitivity > 0 else bounds

    def laws(self) -> tuple[LawPair, ...]:
        """One pair: the mechanism is symmetric."""
        moved, still = (
            GaussianLaw(locations=np.array([at]), scales=np.array(self.sigma)) for at in (self.sensitivity, 0)
        )
        return (moved.against(still),)


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("gaussian", GaussianStep)
