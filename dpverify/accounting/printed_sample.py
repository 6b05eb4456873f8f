"""What the steps that charge a printed amplification lemma share: a ratio, a step on the sample, and their checks.

Side: printed, so no accountant but ``rdp-printed`` takes them. Assumptions: the inner step holds under the sample's own
neighbour relation. Limits: whole orders >= 2 only. Not to be confused with
:mod:`~dpverify.accounting.amplification_printed`, which has the two formulas.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from dpverify.accounting.printed import checked_step
from dpverify.core.composition import Step
from dpverify.core.subjects import Float
from dpverify.definitions.parameters import number, written


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedSampleStep(ABC):
    """A step on a sample, at a printed price: subclasses give name, relation and formula.

    Attributes
    ----------
    q : float
        Sampling probability, or ratio, in [0, 1].
    step : Step
        What runs on the sample; its costs hold under `relation` between samples.
    kind, relation : str, of the class
        The step's name in texts; the neighbour relation.

    Raises
    ------
    InputError
        For anything else.
    """

    kind: ClassVar[str]
    relation: ClassVar[str]

    q: float
    step: Step

    def __post_init__(self) -> None:
        q = number(f"{self.kind}: q", self.q, fits=lambda q: 0 <= q <= 1, allowed="0 <= q <= 1")
        object.__setattr__(self, "q", q)
        checked_step(self.kind, self.step, relation=self.relation)

    def text(self) -> str:
        """Such as ``poisson-printed(q=0.01, step=gaussian(sigma=1, sensitivity=1))``."""
        return f"{self.kind}(q={written(self.q)}, step={self.step.text()})"

    @abstractmethod
    def printed(self, orders: ArrayLike) -> Float:
        """The lemma at whole orders >= 2; shape of `orders`."""
