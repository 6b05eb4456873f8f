"""Accountant ``advanced``: heterogeneous advanced composition as ADPSGD Lemma 2.2 prints it.

Result: for epsilon_i, delta_i in (0, 1) and any delta' in (0, 1) the composition is (epsilon, delta)-DP with
epsilon = sqrt(2 log(1/delta') sum epsilon_i^2) + sum epsilon_i (e^epsilon_i - 1) / (e^epsilon_i + 1) and
delta = 1 - prod(1 - delta_i) + delta'. Kairouz, Oh, Viswanath 2015 (Theorem 3.5) prove more: any epsilon_i >= 0, and
1 - (1 - delta') prod(1 - delta_i), so the print is sound where it is used here. For a target delta nothing is left to
choose: delta' is all that the steps' own deltas leave of it, fixed before any data is seen.

Limits: epsilon_i >= 1 is refused, as the lemma's condition says; epsilon_i = 0 and delta_i = 0 are taken as limits.
Side: upper, rounded up by `ROUNDING`. Often above ``basic`` for few steps: the lemma has no minimum with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dpverify.accounting.accountant_inputs import (
    admit,
    checked_delta,
    checked_epsilon,
    probability,
    step_bound,
    without_bound,
)
from dpverify.core.composition import Bracket, Composed, Composition, Side
from dpverify.core.registry import Registry

ROUNDING = 1e-14
"""Relative slack that sums, and 1 - prod(1 - delta_i), are raised by: ten times what their few operations may lose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedComposed:
    """The lemma's three sums."""

    squares: float
    drift: float
    spent: float
    """`squares`, `drift`, `spent`: sum epsilon_i^2; sum epsilon_i tanh(epsilon_i / 2); 1 - prod(1 - delta_i)."""

    def epsilon(self, delta: float) -> Bracket:
        """The lemma with delta' = delta - spent; +inf when nothing is left."""
        left = checked_delta(delta) - self.spent
        if self.squares == 0 and left >= 0:
            return Bracket(upper=0.0, note="no step has an epsilon above 0")
        if left <= 0:
            return Bracket(note=f"the steps' own deltas spend {self.spent:.6g}, nothing is left for delta'")
        value = math.sqrt(-2 * math.log(left) * self.squares) + self.drift
        return Bracket(upper=value * (1 + ROUNDING), note=f"delta' = {left:.6g}")

    def delta(self, epsilon: float) -> Bracket:
        """The lemma solved for delta', plus the spent deltas; 1 where it gives nothing."""
        beyond = checked_epsilon(epsilon) - self.drift
        if self.squares == 0:
            return Bracket(upper=self.spent, note="no step has an epsilon above 0")
        if beyond <= 0:
            return Bracket(upper=1.0, note=f"the lemma starts at epsilon = {self.drift:.6g}")
        share = beyond * beyond / (2 * self.squares)
        # The difference above loses the digits that epsilon and drift share.
        rest = probability(-share + 4 * ROUNDING * (1 + share + beyond * (epsilon + self.drift) / self.squares))
        return Bracket(upper=min(1.0, (self.spent + rest) * (1 + ROUNDING)), note=f"delta' = {rest:.6g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedAccountant:
    """Lemma 2.2, inside its condition."""

    name: str = "advanced"
    version: str = "1"
    source: str = "ADPSGD L. 2.2 (Kairouz, Oh, Viswanath 2015, Thm 3.5)"
    side: Side = "upper"

    def refuses(self, composition: Composition) -> str | None:
        """A step that is known by a curve only, or whose epsilon is 1 or more."""
        for part in composition:
            bound = step_bound(part.step)
            if bound is not None and (bound[0] >= 1 or bound[1] >= 1):
                return f"{part.step.text()} has ({bound[0]:g}, {bound[1]:g}), and Lemma 2.2 asks for both below 1"
        return without_bound(composition)

    def compose(self, composition: Composition) -> Composed:
        """The sums over all steps that the lemma takes."""
        admit(self, composition)
        return lemma_sums([(*(step_bound(part.step) or (0.0, 0.0)), part.count) for part in composition])


def lemma_sums(bounds: Iterable[tuple[float, float, int]]) -> AdvancedComposed:
    """The lemma's sums over (epsilon_i, delta_i, count), epsilon_i >= 0 and 0 <= delta_i < 1, without its condition."""
    terms = list(bounds)
    kept = math.fsum(count * math.log1p(-delta) for _, delta, count in terms)
    return AdvancedComposed(
        squares=math.fsum(count * epsilon * epsilon for epsilon, _, count in terms) * (1 + ROUNDING),
        drift=math.fsum(count * epsilon * math.tanh(epsilon / 2) for epsilon, _, count in terms) * (1 + ROUNDING),
        spent=min(1.0, abs(math.expm1(kept)) * (1 + ROUNDING)),
    )


def register(registry: Registry) -> None:
    """Register the accountant."""
    registry.accountants.add("advanced", AdvancedAccountant())
