"""A bound on how far a noise-free quantity moves between neighbours: a claim that noise scales rest on.

No privacy guarantee by itself, so it has no curve: auditors compare the quantity on both data sets directly.
Not to be confused with local sensitivity (at one data set) or with the sensitivity of the released output.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpverify.core.errors import InputError
from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.definitions.parameters import NON_NEGATIVE, non_negative, number, sentence

Norm = Literal["l1", "l2", "linf"]
NORMS: tuple[str, ...] = ("l1", "l2", "linf")


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityBound:
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

    bound: float
    norm: Norm = "l2"

    def __post_init__(self) -> None:
        bound = number("SensitivityBound: bound", self.bound, fits=non_negative, allowed=NON_NEGATIVE)
        object.__setattr__(self, "bound", bound)
        if self.norm not in NORMS:
            raise InputError(f"SensitivityBound: norm = {self.norm!r}", allowed=", ".join(f'"{x}"' for x in NORMS))

    @classmethod
    def examples(cls) -> tuple[SensitivityBound, ...]:
        """Instances that the contract tests examine."""
        return (cls(bound=1), cls(bound=0.1, norm="l1"), cls(bound=0, norm="linf"))

    def text(self) -> str:
        """``SensitivityBound(bound=1, norm="l2")``."""
        return sentence("SensitivityBound", bound=self.bound, norm=self.norm)

    def measures(self) -> tuple[Measure, ...]:
        """The bound; the norm stands in the guarantee."""
        return (Measure(kind="sensitivity", claimed=self.bound),)


def register(registry: Registry) -> None:
    """Offer the definition."""
    registry.definitions.add("SensitivityBound", SensitivityBound)
