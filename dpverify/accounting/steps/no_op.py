"""The step that uses no data: it costs nothing under every accountant.

Its output has one law whatever the data set, so every divergence is exactly 0. Not to be confused with a step whose
cost is too small to see.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpverify.accounting.order_search import real_orders
from dpverify.accounting.public_step import PublicStep
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.discrete import DiscreteLaw


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


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("no-op", NoOpStep)
