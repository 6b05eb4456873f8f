"""The claim that a printed formula bounds what it says it bounds, at every point of a box of parameters.

For lemmas of accounting: no mechanism is run, numbers are compared. No privacy guarantee by itself, so it has no curve.
What is measured is truth / printed bound, which the claim puts at 1 at most. Not to be confused with the sensitivity
bound of a query (`sensitivity.py`), whose truth is a change between two data sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.definitions.parameters import Parametrised

Quantity = Literal["epsilon", "delta", "renyi", "number", "difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UpperBound(Parametrised):
    """The claim truth <= printed bound.

    Attributes
    ----------
    quantity : "epsilon", "delta", "renyi", "number" or "difference"
        What is bounded (nats, or a probability). A "difference" is that of two computations which are said to give the
        same: the printed bound is then their rounding, 0 where the same bits are promised.

    Raises
    ------
    InputError
        For another quantity.
    """

    quantity: Quantity = "renyi"

    @classmethod
    def examples(cls) -> tuple[UpperBound, ...]:
        """Instances that the contract tests examine."""
        return (cls(quantity="renyi"), cls(quantity="delta"))

    def measures(self) -> tuple[Measure, ...]:
        """Truth over printed bound, at most 1."""
        return (Measure(kind="ratio", claimed=1.0),)


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("UpperBound", UpperBound)
