"""The Laplace mechanism: a query of L1 sensitivity Delta plus Laplace noise of scale b in every coordinate.

Results: pure epsilon d = Delta / b (Dwork, McSherry, Nissim, Smith 2006); with s = alpha - 1,
e^(s D_alpha) = alpha/(2 alpha - 1) e^(s d) + s/(2 alpha - 1) e^(-alpha d) (Mironov 2017, Proposition 6), attained in
both directions when one coordinate moves; at equal L1 distance moving several costs less, because s D_alpha is convex
in d and 0 at 0. Evaluated as 1 + (alpha f(s d) + s f(-alpha d)) / (2 alpha - 1) with f(x) = e^x - 1 - x >= 0: the
linear terms cancel in the algebra, not in the arithmetic. Relative error below `RENYI_ERROR`, to either side.
Not to be confused with discrete (geometric) Laplace noise, whose curve lies above this one on integer queries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpverify.accounting.accountant_inputs import LEAST, rounded_up
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.public_step import PublicStep
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative, Positive
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.density import LaplaceLaw

RENYI_ERROR = 1e-14
"""Relative rounding error of the Renyi curve (measured against balls: below 2e-15)."""

_LARGE = 1.0  # above it e^(s d) is taken out of the logarithm
_TERMS = 18  # of the series of f up to |x| = 1: the rest is below 1e-17 of it


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceStep(PublicStep):
    """Laplace noise on a query, under whichever relation the sensitivity is stated for.

    Attributes
    ----------
    scale : float
        Scale b of the noise (its standard deviation is sqrt(2) b), finite, > 0.
    sensitivity : float
        L1 sensitivity, finite, >= 0, in the same unit.

    Raises
    ------
    InputError
        For anything else, or when sensitivity / scale exceeds every double.
    """

    kind = "laplace"

    scale: Positive
    sensitivity: NonNegative = 1.0

    def validate(self) -> None:
        """The cost is a double."""
        if math.isinf(self.pure_epsilon()):
            raise InputError(
                f"laplace: sensitivity / scale = {self.sensitivity:g} / {self.scale:g}",
                allowed="a ratio that is a double",
                remedy="so little noise hides nothing",
            )

    @classmethod
    def examples(cls) -> tuple[LaplaceStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(scale=1), cls(scale=20), cls(scale=0.01), cls(scale=1e6), cls(scale=1, sensitivity=0))

    def pure_epsilon(self) -> float:
        """sensitivity / scale, rounded up."""
        return rounded_up(Fraction(self.sensitivity) / Fraction(self.scale))

    def renyi(self, orders: Float) -> Float:
        """Mironov's Proposition 6, exact in both directions; shape of `orders`."""
        alpha = real_orders(orders)
        d, s, total = self.pure_epsilon(), alpha - 1, 2 * alpha - 1
        near = np.minimum(s * d, _LARGE) / s
        growth = (alpha * _beyond_linear(s * near) + s * _beyond_linear(-alpha * near)) / total
        with np.errstate(over="ignore"):
            far = np.log(alpha / total) + np.log1p(s / alpha * np.exp(-np.minimum(total * d, 1e4)))
        value = np.where(s * d < _LARGE, np.log1p(growth) / s, d + far / s)
        return np.asarray(np.clip(value, LEAST if d > 0 else 0.0, d), dtype=np.float64)

    def laws(self) -> tuple[LawPair, ...]:
        """One pair: the mechanism is symmetric."""
        moved, still = (
            LaplaceLaw(locations=np.array([at]), scales=np.array(self.scale)) for at in (self.sensitivity, 0)
        )
        return (moved.against(still),)


def _beyond_linear(x: Float) -> Float:
    """e^x - 1 - x without cancellation, for x <= 1."""
    inner = np.clip(x, -1.0, 1.0)
    series = np.ones_like(inner)
    for k in range(_TERMS, 2, -1):
        series = 1 + series * inner / k
    return np.asarray(np.where(x >= -1, inner * inner / 2 * series, np.expm1(np.minimum(x, 0.0)) - x))


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("laplace", LaplaceStep)
