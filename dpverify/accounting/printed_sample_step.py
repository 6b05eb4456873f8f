"""The base of steps that use a printed amplification lemma: a ratio, a step on the sample, and their checks.

Side: printed, so no accountant but ``rdp-printed`` takes them. Assumptions: the inner step holds under the sample's own
neighbour relation. Limits: whole orders >= 2 only. Not to be confused with
:mod:`~dpverify.accounting.amplification_printed`, which has the two formulas.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from numpy.typing import ArrayLike

from dpverify.accounting.printed_curves import checked_step
from dpverify.accounting.public_step import PublicStep
from dpverify.core.composition import Step
from dpverify.core.rules import Probability
from dpverify.core.subjects import Float


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedSampleStep(PublicStep, ABC):
    """A step on a sample, at a printed price: subclasses give name, relation and formula.

    Attributes
    ----------
    q : float
        Sampling probability, or ratio, in [0, 1].
    step : Step
        What runs on the sample; its costs hold under `relation` between samples.

    Raises
    ------
    InputError
        For anything else.
    """

    q: Probability
    step: Step

    def validate(self) -> None:
        """The inner step has a curve, under the relation of the sample."""
        checked_step(self.kind, self.step, relation=self.relation)

    @abstractmethod
    def printed(self, orders: ArrayLike) -> Float:
        """The lemma at whole orders >= 2; shape of `orders`."""
