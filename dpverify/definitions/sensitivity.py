"""A bound on how far a noise-free quantity moves between neighbours: a claim that noise scales rest on.

No privacy guarantee by itself, so it has no curve: auditors compare the quantity on both data sets directly.
Not to be confused with local sensitivity (at one data set) or with the sensitivity of the released output.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative
from dpverify.definitions.parameters import Parametrised

Norm = Literal["l1", "l2", "linf"]


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


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("SensitivityBound", SensitivityBound)
