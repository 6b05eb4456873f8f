"""PrivGene: selections by the exponential mechanism, composed as pure mechanisms of which nothing else is known.

The number of rounds, which PrivGene takes from n and epsilon, is fixed at the asked epsilon, so that the knob turns
continuously. Added or removed: a record moves the difference of two candidates' fitness by half of what a replaced one
moves it, so a selection costs half as much.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpverify.accounting.steps.guarantees import PureStep
from dpverify.core.composition import Composed, Composition
from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import Asked, Cost, Family
from dpverify.utility.closed_forms import Stated


class PrivGeneFamily(Family):
    """epsilon of the whole run."""

    knob = "epsilon"
    budget = True
    then = "the sum of the selections' epsilons, one record replaced"

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """With a number of rounds."""
        return algorithm if algorithm.rounds else replace(algorithm, rounds=algorithm.rounds_for(asked.rows))

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """With the number of rounds at the asked epsilon."""
        return self.public(replace(algorithm, epsilon=asked.epsilon), asked)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """As many selections as a run makes."""
        count = (algorithm.rounds_for(asked.rows) - 1) * algorithm.parents + 1
        each = algorithm.epsilon / count
        return (Composition.repeat(PureStep(epsilon=each if asked.relation == "replace" else each / 2.0), count),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """Basic composition."""
        return Stated(value=algorithm.epsilon, at=0.0)


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("PrivGene", PrivGeneFamily())
