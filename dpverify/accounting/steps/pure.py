"""Any epsilon-DP mechanism, of which nothing else is known.

Results: its Renyi curve is at most the tight one of randomised response (``renyi_pure``), whose laws dominate every
epsilon-DP pair (Kairouz, Oh, Viswanath 2015). The bounds are attained by randomised response, so nothing sharper holds
for all epsilon-DP mechanisms. Not to be confused with a mechanism whose curve is known, such as Laplace noise.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.accounting.public_step import PublicStep
from dpverify.accounting.renyi_pure import tight_curve
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.discrete import DiscreteLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class PureStep(PublicStep):
    """A mechanism with a pure guarantee, under whichever relation that is stated for.

    Attributes
    ----------
    epsilon : float
        In nats, finite, >= 0.

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "pure"

    epsilon: NonNegative

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


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("pure", PureStep)
