"""Accountant ``basic``: epsilons add, deltas add.

Result: (epsilon_i, delta_i)-DP mechanisms compose to (sum epsilon_i, sum delta_i) (Dwork and Roth 2014, Theorem 3.16),
adaptively too. At other deltas and epsilons: what that one guarantee implies (``corner``). The sums are exact and
rounded up once. Side: upper; attained by pure randomised responses at delta = 0. Not to be confused with ``advanced``,
which pays in delta for fewer epsilons.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.accounting.accountant_inputs import (
    admit,
    checked_delta,
    checked_epsilon,
    corner_delta,
    corner_epsilon,
    step_bound,
    weighted_sum,
    without_bound,
)
from dpverify.core.composition import Bracket, Composed, Composition, Side
from dpverify.core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicComposed:
    """The guarantee (epsilon_0, delta_0) of the whole."""

    corner: tuple[float, float]

    @property
    def _note(self) -> str:
        return f"from the sums ({self.corner[0]:.6g}, {self.corner[1]:.6g})"

    def epsilon(self, delta: float) -> Bracket:
        """+inf below the sum of the deltas."""
        value = corner_epsilon(self.corner, checked_delta(delta))
        note = self._note if value < float("inf") else f"the steps' own deltas sum to {self.corner[1]:.6g}"
        return Bracket(upper=value, note=note)

    def delta(self, epsilon: float) -> Bracket:
        """The sum of the deltas from the sum of the epsilons on."""
        return Bracket(upper=corner_delta(self.corner, checked_epsilon(epsilon)), note=self._note)


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicAccountant:
    """Adds the steps' epsilons, and their deltas."""

    name: str = "basic"
    version: str = "1"
    source: str = "Dwork and Roth 2014, Thm 3.16"
    side: Side = "upper"

    def refuses(self, composition: Composition) -> str | None:
        """A step that is known by a curve only."""
        return without_bound(composition)

    def compose(self, composition: Composition) -> Composed:
        """The sums of the steps' bounds."""
        admit(self, composition)
        bounds = [(step_bound(part.step) or (0.0, 0.0), part.count) for part in composition]
        epsilon = weighted_sum((bound[0], count) for bound, count in bounds)
        return BasicComposed(corner=(epsilon, weighted_sum((bound[1], count) for bound, count in bounds)))


def register(registry: Registry) -> None:
    """Register the accountant."""
    registry.accountants.add("basic", BasicAccountant())
