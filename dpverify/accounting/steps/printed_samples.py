"""Any mechanism on a sample, at the price that the papers print: BLSGD Lemma 4 (DISS Lemma 2.4), DISS Lemma 2.3.

Basis: :mod:`~dpverify.accounting.amplification_printed`; the mechanism's own curve is its printed one where it has one.
Whole orders >= 2 only. Side: printed, so no accountant but ``rdp-printed`` takes them. Poisson samples are priced under
add-remove neighbours; not to be confused with ``poisson-gaussian``, whose curve is tight and proved. Samples of fixed
size are priced where one record is replaced, since samples of data sets of different sizes cannot be paired this way;
not to be confused with disjoint batches of a shuffled epoch.

Renyi curves as papers print them are proved by nobody here. They are kept apart from
:class:`~dpverify.core.composition.HasRenyi`, whose bounds accountants rely on: a step may have both, one or neither.
Whether a print is an upper bound is the ledger's to decide. The inner step holds under the sample's own neighbour
relation.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from dpverify.accounting.amplification_printed import Curve, poisson_bound, without_replacement_bound
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import HasRenyi, Step
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Probability
from dpverify.core.subjects import Float
from dpverify.definitions.parameters import PublicStep


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
    """A step on a sample, at a printed price: subclasses give name, relation and formula."""

    q: Probability
    """Sampling probability, or ratio, in [0, 1]."""
    step: Step
    """What runs on the sample; its costs hold under `relation` between samples."""

    def validate(self) -> None:
        """The inner step has a curve, under the relation of the sample."""
        checked_step(self.kind, self.step, relation=self.relation)

    @abstractmethod
    def printed(self, orders: ArrayLike) -> Float:
        """The lemma at whole orders >= 2; shape of `orders`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonPrintedStep(PrintedSampleStep):
    """A step on a Poisson sample, under add-remove neighbours.

    Attributes
    ----------
    q : float
        Sampling probability in [0, 1].
    step : Step
        What runs on the sample; its costs hold under add-remove neighbours of the sample.
    """

    kind = "poisson-printed"
    relation = "add-remove"

    @classmethod
    def examples(cls) -> tuple[PoissonPrintedStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        gaussian = GaussianStep(sigma=1)
        return (
            cls(q=256 / 50000, step=gaussian),
            cls(q=0.3, step=PureStep(epsilon=1)),
            cls(q=1, step=gaussian),
            cls(q=0, step=gaussian),
        )

    def printed(self, orders: ArrayLike) -> Float:
        """Lemma 4 at whole orders >= 2; shape of `orders`."""
        return poisson_bound(self.q, needed_curve(self.step, by=self.kind), orders)


@printed_curve.register
def _subsampled_gaussian(step: PoissonGaussianStep) -> Curve:
    """The papers account for the subsampled Gaussian by the lemma for any mechanism."""
    return PoissonPrintedStep(q=step.q, step=GaussianStep(sigma=step.sigma)).printed


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReplacementStep(PrintedSampleStep):
    """A step on m of n records drawn without replacement, under replace neighbours.

    Attributes
    ----------
    q : float
        Sampling ratio m / n in [0, 1].
    step : Step
        What runs on the sample; its costs hold under replace neighbours of the sample.
    """

    kind = "without-replacement"
    relation = "replace"

    @classmethod
    def examples(cls) -> tuple[WithoutReplacementStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        gaussian = GaussianStep(sigma=2, sensitivity=2)
        return (
            cls(q=0.01, step=gaussian),
            cls(q=0.3, step=PureStep(epsilon=1)),
            cls(q=1, step=gaussian),
            cls(q=0, step=gaussian),
        )

    def printed(self, orders: ArrayLike) -> Float:
        """Lemma 2.3 at whole orders >= 2; shape of `orders`."""
        return without_replacement_bound(self.q, needed_curve(self.step, by=self.kind), orders)


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("poisson-printed", PoissonPrintedStep)
    registry.steps.add("without-replacement", WithoutReplacementStep)
