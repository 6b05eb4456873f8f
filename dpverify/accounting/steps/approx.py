"""Any (epsilon, delta)-DP mechanism, of which nothing else is known.

Results: its laws are dominated by the pair with outcomes (caught, likely, unlikely, never) of probabilities
(delta, (1 - delta) e^epsilon / (1 + e^epsilon), (1 - delta) / (1 + e^epsilon), 0) against the same in reverse (Kairouz,
Oh, Viswanath 2015, Theorem 3.2), which is itself (epsilon, delta)-DP: an exact judge of composition theorems. With
delta > 0 no Renyi divergence is bounded, so no curve is offered. Not to be confused with the Gaussian mechanism, of
which (epsilon, delta) is only one point.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from dpverify.accounting.public_step import PublicStep
from dpverify.core.registry import Registry
from dpverify.core.rules import BelowOne, NonNegative
from dpverify.core.subjects import LawPair
from dpverify.laws.balls import exact_ball
from dpverify.laws.discrete import DiscreteLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxStep(PublicStep):
    """A mechanism with an approximate guarantee, under whichever relation that is stated for.

    Attributes
    ----------
    epsilon : float
        In nats, finite, >= 0.
    delta : float
        In [0, 1).

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "approx"

    epsilon: NonNegative
    delta: BelowOne

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


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("approx", ApproxStep)
