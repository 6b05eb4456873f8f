"""The claim that the mean of a statistic of a run is at most a stated number.

For what simulations say: rates, errors, sizes of steps. No privacy guarantee, so it has no curve. Divide by the claimed
number where that depends on the parameters, and claim 1. Not to be confused with `UpperBound`, whose truth is computed:
where an expectation has a closed form, that is the better claim.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative
from dpverify.definitions.parameters import Parametrised


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation(Parametrised):
    """The claim E statistic <= bound.

    Attributes
    ----------
    bound : float
        Finite, >= 0, in the statistic's own units.

    Raises
    ------
    InputError
        For another bound.
    """

    bound: NonNegative

    @classmethod
    def examples(cls) -> tuple[Expectation, ...]:
        """Instances that the contract tests examine."""
        return (cls(bound=1), cls(bound=0.1), cls(bound=0))

    def measures(self) -> tuple[Measure, ...]:
        """The mean of the statistic, at most `bound`."""
        return (Measure(kind="mean", claimed=self.bound),)


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("Expectation", Expectation)
