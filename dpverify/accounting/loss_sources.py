"""From a step to the privacy losses it can cost: one tuple of independent losses for each direction of its neighbours.

Basis: the exact pairs that a step offers (:class:`~dpverify.core.composition.HasLaws`), family by family;
independent coordinates are composed like steps. Directions are the order in which a step names its pairs (with the
record against without it first): one data set and its neighbour stand in one order for all steps, so the first pairs
are composed with the first and the second with the second; a step with a single pair is the same both ways.

Limits: pairs of densities without a closed form are refused. A step may say its losses itself (:class:`HasLosses`), and
that they bound from above only (:class:`OnlyAbove`).

Laws on finitely many outcomes have atoms only, outcome by outcome, exact up to the stated errors; equal losses are not
merged. Laplace noise: with the shift in units of the scale, L = |y - shift| - |y| for y ~ P, the Laplace law at 0, is
constant on either side of [0, shift] and linear inside: two atoms, and an exponential density between them; one
coordinate, since several are composed like steps. Errors are those of floating point, carried by hand.

The privacy losses of Gaussian noise: of one shift, and of a mixture of shifts against none.

Basis: the loss rises with the output y, so a threshold on it is a threshold on y, and both masses are those of normal
laws between points. Assumptions: noise of standard deviation 1, shifts in the same unit. Limits: errors are those of
floating point, carried by hand; beyond `_FARTHEST` standard deviations a tail is taken as the one there. Not to be
confused with a derived loss (:mod:`~dpverify.accounting.privacy_loss`), which makes the mixture with one shift from one
loss.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.special import logsumexp, ndtr, ndtri

from dpverify.accounting.privacy_loss import NO_ATOMS, UNIT, Atoms, LossLaw, Masses, ReversedLoss, SampledLoss
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


_TAIL_UNITS = 16.0  # rounding of a normal tail at z, in units: this and z^2 (from the exponential)
_FARTHEST = 37.0  # standard deviations: beyond them a double holds no normal tail
_TABLE = 1 << 16  # points from which a mixture's loss is inverted


@runtime_checkable
class HasLosses(Protocol):
    """Capability: knows its privacy losses, exactly."""

    def losses(self) -> tuple[Losses, ...]:
        """Return for each direction (one, or two) the independent losses whose sum the step costs."""
        ...


@runtime_checkable
class OnlyAbove(Protocol):
    """Capability: its losses dominate its own, and no two data sets are known to have them."""

    def only_above(self) -> str:
        """Return why, in a few words; what is composed of such losses has no lower end."""
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


def normal_cells(points: Float, centre: float) -> tuple[Float, Float]:
    """Masses of N(centre, 1) between points, outer ones included, and the error at each point."""
    z = np.clip(points - centre, -_FARTHEST, _FARTHEST)
    below, above = ndtr(z), ndtr(-z)
    right = np.concatenate(([False], z > 0))  # by the left end of each cell: differences on the smaller tail
    lower = np.diff(np.concatenate(([0.0], below, [1.0])))
    upper = -np.diff(np.concatenate(([1.0], above, [0.0])))
    error = UNIT * (_TAIL_UNITS + z * z) * np.minimum(below, above)
    return np.where(right, upper, lower), error


def _mass_bound(low: Float, high: Float) -> Float:
    """Bound on the mass of N(0, 1) between the ends: length times the greatest density, or what either end leaves."""
    mode = np.clip(0.0, low, high)
    inside = (high - low) * np.exp(-mode * mode / 2) / math.sqrt(2 * math.pi)
    return np.asarray(1.0001 * np.minimum(inside, np.minimum(ndtr(high), ndtr(-low))))


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianLoss:
    """N(mu, 1) against N(0, 1): L is N(mu^2 / 2, mu^2)."""

    mu: float

    def atoms(self) -> Atoms:
        """There are none, unless nothing moves."""
        return NO_ATOMS if self.mu > 0 else Atoms(p=np.ones(1), loss=np.zeros(1))

    def masses(self, thresholds: Float) -> Masses | None:
        """Two normal laws cut at one place."""
        if self.mu == 0:
            return None
        points = thresholds / self.mu + self.mu / 2
        p, p_error = normal_cells(points, self.mu)
        q, q_error = normal_cells(points, 0.0)
        return Masses(p=p, q=q, p_error=p_error, q_error=q_error)

    def extent(self, tail: float) -> tuple[float, float]:
        """Symmetric: P reaches up as far as Q reaches down."""
        reach = self.mu * self.mu / 2 - self.mu * float(ndtri(tail))
        return -reach, reach

    def bounds(self) -> tuple[float, float]:
        """The loss is unbounded, unless nothing moves."""
        return (-math.inf, math.inf) if self.mu > 0 else (0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GaussianMixtureLoss:
    """sum_i weights_i N(shifts_i, 1) against N(0, 1), all shifts >= 0 (in standard deviations): L rises with y.

    The inverse of the loss is interpolated and improved by Newton steps. An interval around the point found, at whose
    ends the loss is seen to lie on either side of the threshold, holds the true point (L rises); a bound on its mass
    goes into the error.
    """

    weights: Float
    shifts: Float
    _table: tuple[Float, Float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = np.linspace(-_FARTHEST, _FARTHEST + float(np.max(self.shifts)), _TABLE)
        object.__setattr__(self, "_table", (points, np.maximum.accumulate(self._loss(points)[0])))

    def _loss(self, points: Float) -> tuple[Float, Float]:
        """The loss and its slope."""
        terms = np.log(self.weights)[:, None] + self.shifts[:, None] * (points - self.shifts[:, None] / 2)
        loss = np.asarray(logsumexp(terms, axis=0))
        return loss, np.asarray(np.sum(self.shifts[:, None] * np.exp(terms - loss), axis=0))

    def atoms(self) -> Atoms:
        """There are none, unless nothing moves."""
        return NO_ATOMS if np.any(self.shifts > 0) else Atoms(p=np.ones(1), loss=np.zeros(1))

    def _points(self, thresholds: Float) -> Float:
        points, losses = self._table
        found = np.interp(thresholds, losses, points, left=-np.inf, right=np.inf)
        inner = np.isfinite(found)
        for _ in range(2):
            loss, slope = self._loss(found[inner])
            step = np.divide(thresholds[inner] - loss, slope, out=np.zeros_like(loss), where=slope > 0)
            width = points[1] - points[0]
            found[inner] += np.clip(step, -width, width)
        return np.maximum.accumulate(found)

    def masses(self, thresholds: Float) -> Masses | None:
        """Normal laws cut where the loss passes each threshold."""
        if not np.any(self.shifts > 0):
            return None
        points = self._points(thresholds)
        parts = [normal_cells(points, float(shift)) for shift in self.shifts]
        p = np.sum(self.weights[:, None] * np.stack([part[0] for part in parts]), axis=0)
        p_error = np.sum(self.weights[:, None] * np.stack([part[1] for part in parts]), axis=0)
        q, q_error = normal_cells(points, 0.0)
        # Where the threshold was missed, the mass in between lies in the wrong cell: count it as error.
        inner = np.isfinite(points)
        low, high = self._around(points[inner], thresholds[inner])
        for weight, shift in zip(self.weights, self.shifts, strict=True):
            p_error[inner] += weight * _mass_bound(low - shift, high - shift)
        q_error[inner] += _mass_bound(low, high)
        return Masses(p=p, q=q, p_error=p_error, q_error=q_error)

    def _around(self, points: Float, thresholds: Float) -> tuple[Float, Float]:
        """Ends around `points` between which the loss passes each threshold; infinite where that was not seen."""
        loss, slope = self._loss(points)
        largest = float(np.max(self.shifts))
        rounding = 16 * UNIT * (1 + largest * (np.abs(points) + largest) - math.log(float(np.min(self.weights))))
        missed = np.abs(loss - thresholds) + 4 * rounding
        reach = np.divide(2 * missed, slope, out=np.full_like(loss, np.inf), where=slope > 1e-300)
        reach = np.minimum(reach, 2 * _FARTHEST + largest)
        low, high = points - reach, points + reach
        below, above = self._loss(low)[0] + rounding <= thresholds, self._loss(high)[0] - rounding >= thresholds
        return np.where(below, low, -np.inf), np.where(above, high, np.inf)

    def extent(self, tail: float) -> tuple[float, float]:
        """The extent ends at the normal quantiles of the outermost parts."""
        reach = -float(ndtri(tail))
        low, high = self._loss(np.array([-reach, reach + float(np.max(self.shifts))]))[0]
        return float(low), float(high)

    def bounds(self) -> tuple[float, float]:
        """Down to the log of the weight that does not move; unbounded above, unless nothing moves."""
        if not np.any(self.shifts > 0):
            return 0.0, 0.0
        still = float(np.sum(self.weights[self.shifts == 0]))
        return math.log(still) if still > 0 else -math.inf, math.inf
