"""From a step to the privacy losses it can cost: one tuple of independent losses for each direction of its neighbours.

Basis: the exact pairs that a step offers (:class:`~dpverify.core.composition.HasLaws`), family by family;
independent coordinates are composed like steps. Directions are the order in which a step names its pairs (with the
record against without it first): one data set and its neighbour stand in one order for all steps, so the first pairs
are composed with the first and the second with the second; a step with a single pair is the same both ways.

Limits: pairs of densities without a closed form are refused. A step may say its losses itself (:class:`HasLosses`).

Laws on finitely many outcomes have atoms only, outcome by outcome, exact up to the stated errors; equal losses are not
merged. Laplace noise: with the shift in units of the scale, L = |y - shift| - |y| for y ~ P, the Laplace law at 0, is
constant on either side of [0, shift] and linear inside: two atoms, and an exponential density between them; one
coordinate, since several are composed like steps. Errors are those of floating point, carried by hand.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from dpverify.accounting.loss_derived import ReversedLoss, SampledLoss
from dpverify.accounting.loss_gaussian import GaussianLoss
from dpverify.accounting.privacy_loss import UNIT, Atoms, LossLaw, Masses
from dpverify.core.composition import Composition, HasLaws, Step
from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.product import ProductPair
from dpverify.laws.shift_pair import GaussianPair, LaplacePair
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FiniteLoss:
    """Finitely many outcomes: shape (k,) log-probabilities under P and Q, each right up to `error`."""

    log_p: Float
    log_q: Float
    error: float

    def atoms(self) -> Atoms:
        """One for each outcome that P can produce."""
        kept = self.log_p > -np.inf
        log_p = self.log_p[kept]
        slack = self.error + 4 * UNIT * (1 + float(np.max(-log_p)))
        loss = log_p - self.log_q[kept]
        largest = float(np.max(np.abs(loss[np.isfinite(loss)]), initial=0.0))
        return Atoms(
            p=np.exp(log_p), loss=loss, p_error=math.expm1(slack), loss_error=2 * self.error + 2 * UNIT * largest
        )

    def masses(self, thresholds: Float) -> Masses | None:
        """There is no continuous part."""
        return None

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss reaches from the least to the largest finite loss."""
        loss = self.atoms().loss
        finite = loss[np.isfinite(loss)]
        return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)

    def bounds(self) -> tuple[float, float]:
        """The least and the largest loss, outward of their errors; 0 where P and Q are equal to the last bit."""
        if np.array_equal(self.log_p, self.log_q):
            return 0.0, 0.0
        atoms = self.atoms()
        return float(np.min(atoms.loss)) - atoms.loss_error, float(np.max(atoms.loss)) + atoms.loss_error


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceLoss:
    """Laplace noise of scale 1 shifted by `shift` > 0: atoms at both ends, an exponential density between them."""

    shift: float

    def atoms(self) -> Atoms:
        """Half of P at the top, and as much of Q at the bottom."""
        if self.shift == 0:
            return Atoms(p=np.ones(1), loss=np.zeros(1))
        masses = np.array([math.exp(-self.shift) / 2, 0.5])
        return Atoms(p=masses, loss=np.array([-self.shift, self.shift]), p_error=4 * UNIT)

    def masses(self, thresholds: Float) -> Masses | None:
        """The density is, with y = (shift - L) / 2 in (0, shift), e^-y / 2 under P and e^(y - shift) / 2 under Q."""
        if self.shift == 0:
            return None
        y = (self.shift - np.clip(np.concatenate(([-np.inf], thresholds, [np.inf])), -self.shift, self.shift)) / 2
        gap = -np.expm1(np.diff(y))  # y falls: 1 - e^-(length of the cell)
        p = np.exp(-y[1:]) * gap / 2
        q = np.exp(y[:-1] - self.shift) * gap / 2
        # A threshold rounded by one unit moves mass across it; nothing cancels otherwise.
        error = 4 * UNIT * (1 + self.shift) * np.ones(thresholds.shape) / 2
        return Masses(p=p, q=q, p_error=error * np.exp(-y[1:-1]), q_error=error * np.exp(y[1:-1] - self.shift))

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss is bounded."""
        return -self.shift, self.shift

    def bounds(self) -> tuple[float, float]:
        """The shift, to both sides."""
        return -self.shift, self.shift
