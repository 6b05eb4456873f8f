"""Steps of which a guarantee is known, and nothing else: epsilon-DP, (epsilon, delta)-DP, and one that uses no data.

Pure: its Renyi curve is at most the tight one of Warner's randomised response, of which every epsilon-DP pair is a
randomisation (Kairouz, Oh, Viswanath 2015); it attains the bounds, so nothing sharper holds for all such mechanisms.
With s = alpha - 1, Z = e^epsilon + k - 1 and k values,
e^(s D) = (e^(alpha epsilon) + e^(-s epsilon) + k - 2) / Z = 1 + (e^(s epsilon) - 1) (e^epsilon - e^(-s epsilon)) / Z:
products of positive numbers, no cancellation at any order. BLSGD Lemma 2 (Bun and Steinke 2016, Proposition 3.3) prints
D_alpha <= alpha epsilon^2 / 2 for every alpha. Sides: both are upper bounds; the tight curve has a relative error of
`TIGHT_ERROR` at most, to either side. Not to be confused with a mechanism whose curve is known, such as Laplace noise.

Approximate: its laws are dominated by the pair with outcomes (caught, likely, unlikely, never) of probabilities
(delta, (1 - delta) e^epsilon / (1 + e^epsilon), (1 - delta) / (1 + e^epsilon), 0) against the same in reverse (Kairouz,
Oh, Viswanath 2015, Theorem 3.2), which is itself (epsilon, delta)-DP: an exact judge of composition theorems. With
delta > 0 no Renyi divergence is bounded, so no curve is offered. Not to be confused with the Gaussian mechanism, of
which (epsilon, delta) is only one point.

No data: the output has one law whatever the data set, so every divergence is exactly 0, under every accountant. Not to
be confused with a step whose cost is too small to see.

Randomised response among k values: the truth with weight e^epsilon, every other value with weight 1.

Results: exactly epsilon-DP (Warner 1965 for k = 2; Kairouz, Oh, Viswanath 2014); its Renyi curve, above, is
exact for any k. For k = 2 it is the worst of all epsilon-DP mechanisms, for larger k it costs less at finite orders.
Neighbours are two values of one person (local model). Not to be confused with unary encodings (RAPPOR, OUE).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import flint
import numpy as np
from numpy.typing import ArrayLike

from dpverify.accounting.accountant_inputs import LEAST
from dpverify.accounting.order_search import real_orders
from dpverify.core.registry import Registry
from dpverify.core.rules import BelowOne, Between, NonNegative
from dpverify.core.subjects import Float, LawPair
from dpverify.definitions.parameters import PublicStep
from dpverify.laws.balls import exact_ball
from dpverify.laws.discrete import DiscreteLaw

TIGHT_ERROR = 1e-14
"""Relative rounding error of the tight curve (measured against balls: below 2e-15)."""

_LARGE = 30.0  # beyond it the exponential is taken out of the logarithm


_SIZES = "a whole number >= 2"


@dataclass(frozen=True, slots=True, kw_only=True)
class PureStep(PublicStep):
    """A mechanism with a pure guarantee, under whichever relation that is stated for."""

    kind = "pure"

    epsilon: NonNegative
    """In nats, finite, >= 0."""

    @classmethod
    def examples(cls) -> tuple[PureStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(epsilon=1), cls(epsilon=0.1), cls(epsilon=0), cls(epsilon=50), cls(epsilon=1e-6))

    def pure_epsilon(self) -> float:
        """The epsilon of the guarantee, nats."""
        return self.epsilon

    def renyi(self, orders: Float) -> Float:
        """The tight curve; shape of `orders`."""
        return tight_curve(self.epsilon, orders)

    def laws(self) -> tuple[LawPair, ...]:
        """Randomised response between two values; symmetric."""
        first, second = (
            DiscreteLaw.from_log_weights(weights) for weights in ((self.epsilon, 0.0), (0.0, self.epsilon))
        )
        return (first.against(second),)


def printed_curve(epsilon: float, orders: ArrayLike) -> Float:
    """alpha epsilon^2 / 2 at each order, as BLSGD Lemma 2 prints it.

    Parameters
    ----------
    epsilon : float
        Pure bound in nats, >= 0.
    orders : array_like, shape (k,)
        Real orders > 1.

    Returns
    -------
    ndarray, shape (k,)
        Upper bounds in nats.
    """
    return np.asarray(real_orders(orders) * (epsilon * epsilon / 2), dtype=np.float64)


def tight_curve(epsilon: float, orders: ArrayLike, *, size: int = 2) -> Float:
    """Renyi divergence of randomised response among `size` values; `size` 2 bounds every epsilon-DP mechanism.

    Parameters
    ----------
    epsilon : float
        Pure bound in nats, >= 0, finite.
    orders : array_like, shape (k,)
        Real orders > 1.
    size : int
        Number of values, >= 2.

    Returns
    -------
    ndarray, shape (k,)
        In nats, the same in both directions; never above `epsilon`, nor above the printed bound, but for rounding.
    """
    alpha = real_orders(orders)
    s = alpha - 1
    share = -np.expm1(-alpha * epsilon) / (1 + (size - 1) * np.exp(-epsilon))  # (e^epsilon - e^(-s epsilon)) / Z
    near = np.minimum(s * epsilon, _LARGE)
    far = np.maximum(s * epsilon, _LARGE)
    small = np.log1p(np.expm1(near) * share) / s
    # s * epsilon is taken out of the logarithm before the division by s; the 1 in front is lost in rounding by then.
    with np.errstate(divide="ignore"):
        large = epsilon + np.log(share + np.exp(-far) * (1 - share)) / s
    value = np.where(s * epsilon < _LARGE, small, large)
    return np.asarray(np.clip(value, LEAST if epsilon > 0 else 0.0, epsilon), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxStep(PublicStep):
    """A mechanism with an approximate guarantee, under whichever relation that is stated for."""

    kind = "approx"

    epsilon: NonNegative
    """In nats, finite, >= 0."""
    delta: BelowOne
    """In [0, 1)."""

    @classmethod
    def examples(cls) -> tuple[ApproxStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(epsilon=0.5, delta=1e-6),
            cls(epsilon=0, delta=0.1),
            cls(epsilon=0.9, delta=0),
            cls(epsilon=0, delta=0),
            cls(epsilon=3, delta=1e-9),
        )

    def approx(self) -> tuple[float, float]:
        """(epsilon, delta) of the guarantee."""
        return self.epsilon, self.delta

    def laws(self) -> tuple[LawPair, ...]:
        """The dominating pair on four outcomes; symmetric."""

        def enclose() -> list[flint.arb]:
            delta, less = exact_ball(Fraction(self.delta)), (-exact_ball(self.epsilon)).exp()
            likely = (1 - delta) / (1 + less)
            return [delta, likely, less * likely, flint.arb(0)]

        first = DiscreteLaw.from_balls(enclose)
        second = DiscreteLaw.from_balls(lambda: enclose()[::-1])
        return (first.against(second),)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOpStep(PublicStep):
    """Nothing; it has every capability, with 0 in it."""

    kind = "no-op"

    @classmethod
    def examples(cls) -> tuple[NoOpStep, ...]:
        """There is one instance."""
        return (cls(),)

    def renyi(self, orders: Float) -> Float:
        """Zeros, in the shape of `orders`."""
        return np.zeros_like(real_orders(orders))

    def pure_epsilon(self) -> float:
        """0: its output does not depend on the data."""
        return 0.0

    def approx(self) -> tuple[float, float]:
        """(0, 0): the pure bound."""
        return 0.0, 0.0

    def mu(self) -> float:
        """0: both sides are the same law."""
        return 0.0

    def laws(self) -> tuple[LawPair, ...]:
        """One outcome is certain."""
        law = DiscreteLaw.from_fractions([Fraction(1)])
        return (law.against(law),)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedResponseStep(PublicStep):
    """One answer by randomised response."""

    kind = "randomised-response"

    epsilon: NonNegative
    """In nats, finite, >= 0."""
    size: Annotated[int, Between(2, math.inf)] = 2
    """Number of values, >= 2."""

    @classmethod
    def examples(cls) -> tuple[RandomisedResponseStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(epsilon=1), cls(epsilon=0.1, size=4), cls(epsilon=0), cls(epsilon=5, size=100))

    def pure_epsilon(self) -> float:
        """The epsilon that the answer is weighted with; exact."""
        return self.epsilon

    def renyi(self, orders: Float) -> Float:
        """Exact in both directions; shape of `orders`."""
        return tight_curve(self.epsilon, orders, size=self.size)

    def laws(self) -> tuple[LawPair, ...]:
        """One pair, of the answers to two different values; symmetric."""
        rest = (0.0,) * (self.size - 2)
        first, second = (
            DiscreteLaw.from_log_weights((*weights, *rest)) for weights in ((self.epsilon, 0.0), (0.0, self.epsilon))
        )
        return (first.against(second),)


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("pure", PureStep)
    registry.steps.add("approx", ApproxStep)
    registry.steps.add("no-op", NoOpStep)
    registry.steps.add("randomised-response", RandomisedResponseStep)
