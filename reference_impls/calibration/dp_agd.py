"""DP-AGD: its filter keeps the sum of all costs below rho at every Renyi order, so a run costs what rho-zCDP costs.

rho is converted tightly, at the best order, instead of by epsilon = rho + 2 sqrt(rho ln(1 / delta)); the budget that
is configured may be a little larger, and a run spends it whole. Replaced: a gradient moves by 2 C instead of C, which
costs four times as much, and a selection costs up to 2 epsilon instead of epsilon (answers may move in opposite
directions), four times in zCDP as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from dpverify.accounting.steps.gaussian import MixtureStep
from dpverify.accounting.steps.selections import ZcdpStep
from dpverify.core.composition import Composed, Composition
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float
from dpverify.utility.calibration_family import Asked, Cost, Family
from dpverify.utility.closed_forms import Stated


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterStep(ZcdpStep):
    """The zCDP of the filter, rounded as when the figures were measured, so that their noise keeps its last bit."""

    def renyi(self, orders: Float) -> Float:
        """Rho alpha, never below, as the curve of one Gaussian part; shape of `orders`."""
        return MixtureStep(weights=(1.0,), shifts=(math.sqrt(2.0 * self.rho),), sigma=1.0).renyi(orders)


class DpAgdFamily(Family):
    """The configured epsilon."""

    knob = "epsilon"
    budget = True
    then = "rho-zCDP with epsilon = rho + 2 sqrt(rho ln(1 / delta))"

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """delta is the other half of the budget."""
        return replace(algorithm, delta=asked.delta)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """A step whose Renyi curve is that line, and of which nothing else is known."""
        rho = algorithm.rho * (4.0 if asked.relation == "replace" else 1.0)
        return (Composition.of(FilterStep(rho=rho)),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """The claim."""
        return Stated(value=algorithm.epsilon, at=algorithm.delta)

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """What is converted."""
        return f"{found} of its zCDP filter"


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("DpAgd", DpAgdFamily())
