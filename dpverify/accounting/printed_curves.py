"""Renyi curves as papers print them, proved by nobody here: the capability, and the papers' curve of each step.

A printed curve is kept apart from :class:`~dpverify.core.composition.HasRenyi`, whose bounds accountants rely on: a
step may have both, one or neither. Whether a print is an upper bound is the ledger's to decide. Not to be confused with
a curve that is sound but loose.

Steps that use a printed amplification lemma (a ratio, and a step on the sample) have one base. Their inner step holds
under the sample's own neighbour relation; no accountant but ``rdp-printed`` takes them, at whole orders >= 2 only.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from dpverify.accounting.amplification_printed import Curve
from dpverify.accounting.public_step import PublicStep
from dpverify.core.composition import HasRenyi, Step
from dpverify.core.errors import InputError
from dpverify.core.rules import Probability
from dpverify.core.subjects import Float


@runtime_checkable
class HasPrinted(Protocol):
    """Capability: a Renyi curve as a paper prints it, of no known side."""

    def printed(self, orders: Float) -> Float:
        """The print at each order, shape (k,), in nats; never nan, never negative.

        InputError at orders that the lemma does not cover.
        """
        ...


@functools.singledispatch
def printed_curve(step: Step) -> Curve | None:
    """The step's curve in the papers: their print, or its Renyi curve where they print none; else None.

    Further steps are registered beside the lemma that the papers use for them.
    """
    if isinstance(step, HasPrinted):
        return step.printed
    return step.renyi if isinstance(step, HasRenyi) else None


def needed_curve(step: Step, *, by: str) -> Curve:
    """Return the same curve; InputError when the step has neither."""
    curve = printed_curve(step)
    if curve is None:
        raise InputError(f"{by}: step {step.text()}", allowed="a step with a Renyi curve, sound or printed")
    return curve


def checked_step(where: str, step: object, *, relation: str) -> Step:
    """`step` when it is one, has a curve and holds under `relation` (or any); InputError otherwise."""
    if isinstance(step, type) or not isinstance(step, Step):
        raise InputError(f"{where}: step = {step!r}", allowed="a step, such as GaussianStep(sigma=1)")
    needed_curve(step, by=where)
    if step.relation not in ("any", relation):
        raise InputError(
            f"{where}: step {step.text()} under {step.relation}", allowed=f"a step under {relation} neighbours"
        )
    return step


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
