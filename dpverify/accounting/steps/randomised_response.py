"""Randomised response among k values: the truth with weight e^epsilon, every other value with weight 1.

Results: exactly epsilon-DP (Warner 1965 for k = 2; Kairouz, Oh, Viswanath 2014); Renyi curve in ``guarantees``, exact
for any k. For k = 2 it is the worst of all epsilon-DP mechanisms, for larger k it costs less at finite orders.
Neighbours are two values of one person (local model). Not to be confused with unary encodings (RAPPOR, OUE).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from dpverify.accounting.public_step import PublicStep
from dpverify.accounting.steps.guarantees import tight_curve
from dpverify.core.registry import Registry
from dpverify.core.rules import Between, NonNegative
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.discrete import DiscreteLaw

_SIZES = "a whole number >= 2"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedResponseStep(PublicStep):
    """One answer by randomised response.

    Attributes
    ----------
    epsilon : float
        In nats, finite, >= 0.
    size : int
        Number of values, >= 2.

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "randomised-response"

    epsilon: NonNegative
    size: Annotated[int, Between(2, math.inf)] = 2

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
    registry.steps.add("randomised-response", RandomisedResponseStep)
