"""Randomised response among k values: the truth with weight e^epsilon, every other value with weight 1.

Results: exactly epsilon-DP (Warner 1965 for k = 2; Kairouz, Oh, Viswanath 2014); Renyi curve in ``renyi_pure``, exact
for any k. For k = 2 it is the worst of all epsilon-DP mechanisms, for larger k it costs less at finite orders.
Neighbours are two values of one person (local model). Not to be confused with unary encodings (RAPPOR, OUE).
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.accounting.renyi_pure import tight_curve
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, LawPair
from dpverify.definitions.parameters import NON_NEGATIVE, non_negative, number, sentence
from dpverify.laws.discrete import DiscreteLaw

_SIZES = "a whole number >= 2"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedResponseStep:
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

    epsilon: float
    size: int = 2

    def __post_init__(self) -> None:
        epsilon = number("randomised-response: epsilon", self.epsilon, fits=non_negative, allowed=NON_NEGATIVE)
        size = number("randomised-response: size", self.size, fits=lambda k: k >= 2 and k % 1 == 0, allowed=_SIZES)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "size", int(size))

    @classmethod
    def examples(cls) -> tuple[RandomisedResponseStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(epsilon=1), cls(epsilon=0.1, size=4), cls(epsilon=0), cls(epsilon=5, size=100))

    @property
    def relation(self) -> str:
        """Any: whatever changes the one value."""
        return "any"

    def text(self) -> str:
        """``randomised-response(epsilon=1, size=2)``."""
        return sentence("randomised-response", epsilon=self.epsilon, size=self.size)

    def pure_epsilon(self) -> float:
        """The parameter."""
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
    """Offer the step."""
    registry.steps.add("randomised-response", RandomisedResponseStep)
