"""From a step to the privacy losses it can cost: one tuple of independent losses for each direction of its neighbours.

Basis: the exact pairs that a step offers (:class:`~dpverify.core.composition.HasLaws`), family by family;
independent coordinates are composed like steps. Directions are the order in which a step names its pairs (with the
record against without it first): one data set and its neighbour stand in one order for all steps, so the first pairs
are composed with the first and the second with the second; a step with a single pair is the same both ways.

Limits: pairs of densities without a closed form are refused. A step may say its losses itself (:class:`HasLosses`).
"""

from __future__ import annotations

import functools
from typing import Protocol, runtime_checkable

from dpverify.accounting.loss_derived import ReversedLoss, SampledLoss
from dpverify.accounting.loss_finite import FiniteLoss
from dpverify.accounting.loss_gaussian import GaussianLoss
from dpverify.accounting.loss_laplace import LaplaceLoss
from dpverify.accounting.privacy_loss import LossLaw
from dpverify.core.composition import Composition, HasLaws, Step
from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import LawPair
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.gaussian import GaussianPair
from dpverify.laws.laplace import LaplacePair
from dpverify.laws.product import ProductPair
from dpverify.laws.subsampled_pair import SubsampledPair

Losses = tuple[LossLaw, ...]

ONE_ORDER = "p of all steps against q of all"
"""The note where the result depends on the order of a step's two laws."""


@runtime_checkable
class HasLosses(Protocol):
    """Capability: knows its privacy losses, exactly."""

    def losses(self) -> tuple[Losses, ...]:
        """Return for each direction (one, or two) the independent losses whose sum the step costs."""
        ...


def directions(step: Step) -> tuple[Losses, ...]:
    """One or two tuples of independent losses; UnsupportedError when the step's laws have no known loss."""
    if isinstance(step, HasLosses):
        return step.losses()
    if not isinstance(step, HasLaws):
        raise UnsupportedError(f"{step.text()} offers neither `laws` nor `losses`")
    return tuple(losses_of(pair) for pair in step.laws())


def order_matters(composition: Composition) -> bool:
    """Tell whether the result depends on the order of the two laws of a step.

    This is so when two or more steps have two directions and one of them is for any relation, since nothing else
    assigns its laws to those of the other steps.
    """
    steps = [part.step for part in composition if _ways(part.step) > 1]
    return len(steps) > 1 and any(step.relation == "any" for step in steps)


def _ways(step: Step) -> int:
    return len(step.laws()) if isinstance(step, HasLaws) else len(directions(step))


@functools.singledispatch
def losses_of(pair: LawPair) -> Losses:
    """The independent losses of a pair of laws."""
    raise UnsupportedError(f"no privacy-loss law for a {type(pair).__name__}")


@losses_of.register
def _gaussian(pair: GaussianPair) -> Losses:
    return (GaussianLoss(mu=pair.mu().value),)


@losses_of.register
def _laplace(pair: LaplacePair) -> Losses:
    return tuple(LaplaceLoss(shift=float(shift)) for shift in pair.shifts)


@losses_of.register
def _discrete(pair: DiscretePair) -> Losses:
    return (FiniteLoss(log_p=pair.log_p, log_q=pair.log_q, error=pair.error),)


@losses_of.register
def _product(pair: ProductPair) -> Losses:
    return tuple(loss for factor in pair.factors for loss in losses_of(factor))


@losses_of.register
def _sampled(pair: SubsampledPair) -> Losses:
    base = losses_of(pair.base)
    if len(base) != 1:
        raise UnsupportedError("no privacy-loss law for a Poisson sample of several Laplace coordinates")
    loss: LossLaw = SampledLoss(base=base[0], rate=pair.rate)
    return (ReversedLoss(base=loss) if pair.reverse else loss,)
