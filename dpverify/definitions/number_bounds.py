"""Claims that bound a number: how far a query moves, what a printed formula says it bounds, the mean of a statistic.

None is a privacy guarantee by itself, so none has a curve. A sensitivity is what noise scales rest on: auditors compare
the quantity on both data sets directly. It is not local sensitivity (at one data set), nor that of the released output.
A printed bound (lemmas of accounting) is held against its truth at every point of a box of parameters: no mechanism is
run, numbers are compared, and the claim puts truth / printed bound at 1 at most. The mean of a statistic is for what
simulations say: rates, errors, sizes of steps. Divide by the claimed number where that depends on the parameters, and
claim 1; where an expectation has a closed form, `UpperBound` is the better claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative
from dpverify.definitions.parameters import Parametrised

Norm = Literal["l1", "l2", "linf"]


Quantity = Literal["epsilon", "delta", "renyi", "number", "difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityBound(Parametrised):
    """The claim ||query(D) - query(D')|| <= bound for every pair of neighbours.

    Attributes
    ----------
    bound : float
        Finite, >= 0, in the query's own units.
    norm : "l1", "l2" or "linf"
        Norm of the change.

    Raises
    ------
    InputError
        For another bound or norm.
    """

    bound: NonNegative
    norm: Norm = "l2"

    @classmethod
    def examples(cls) -> tuple[SensitivityBound, ...]:
        """Instances that the contract tests examine."""
        return (cls(bound=1), cls(bound=0.1, norm="l1"), cls(bound=0, norm="linf"))

    def measures(self) -> tuple[Measure, ...]:
        """The bound; the norm stands in the guarantee."""
        return (Measure(kind="sensitivity", claimed=self.bound),)


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
    registry.definitions.add("SensitivityBound", SensitivityBound)
    registry.definitions.add("UpperBound", UpperBound)
    registry.definitions.add("Expectation", Expectation)
