"""The claim that the mean of a statistic of a run is at most a stated number.

For what simulations say: rates, errors, sizes of steps. No privacy guarantee, so it has no curve. Divide by the claimed
number where that depends on the parameters, and claim 1. Not to be confused with `UpperBound`, whose truth is computed:
where an expectation has a closed form, that is the better claim.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.definitions.parameters import NON_NEGATIVE, non_negative, number, sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
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

    bound: float

    def __post_init__(self) -> None:
        bound = number("Expectation: bound", self.bound, fits=non_negative, allowed=NON_NEGATIVE)
        object.__setattr__(self, "bound", bound)

    @classmethod
    def examples(cls) -> tuple[Expectation, ...]:
        """Instances that the contract tests examine."""
        return (cls(bound=1), cls(bound=0.1), cls(bound=0))

    def text(self) -> str:
        """``Expectation(bound=1)``."""
        return sentence("Expectation", bound=self.bound)

    def measures(self) -> tuple[Measure, ...]:
        """The mean."""
        return (Measure(kind="mean", claimed=self.bound),)


def register(registry: Registry) -> None:
    """Offer the definition."""
    registry.definitions.add("Expectation", Expectation)
