"""The privacy loss L = log(P(y) / Q(y)), y ~ P, of one step: its atoms and the masses between any two thresholds.

What it rests on: a pair (P, Q) is known, for every composition, by the law of L under P alone (Dwork and Rothblum 2016;
Sommer, Meiser, Mohammadi 2019); the law under Q follows from it. Here each family gives both masses in closed form, on
whichever tail is small, so that tails keep their relative precision.

Assumptions: L is a monotone function of one real output (additive Gaussian or Laplace noise, and a Poisson sample of
it), or the outcomes are finitely many. Limits: no family for opaque densities. Not to be confused with the loss of one
*run*, nor with its expectation (the Kullback-Leibler divergence).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr, ndtri

Float = NDArray[np.float64]

UNIT = 2.0**-53
_TAIL_UNITS = 16.0  # rounding of a normal tail at z, in units: this and z^2 (from the exponential)
_FARTHEST = 37.0  # standard deviations: beyond them a double holds no normal tail
_TABLE = 1 << 16  # points from which a mixture's loss is inverted


@dataclass(frozen=True, slots=True, kw_only=True)
class Atoms:
    """Losses taken with positive probability.

    Attributes
    ----------
    p, loss : ndarray, shape (k,)
        Mass under P and the loss; +inf where Q has no mass.
    p_error, loss_error : float
        Bounds on the relative error of each mass and on the absolute error of each loss.
    """

    p: Float
    loss: Float
    p_error: float = 0.0
    loss_error: float = 0.0


NO_ATOMS = Atoms(p=np.zeros(0), loss=np.zeros(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Masses:
    """Masses of the continuous part, between thresholds t_0 < ... < t_n.

    Attributes
    ----------
    p, q : ndarray, shape (n + 2,)
        Under P and Q, of (-inf, t_0], (t_0, t_1], ..., (t_n, inf).
    p_error, q_error : ndarray, shape (n + 1,)
        Bounds on the absolute error of the mass above (equally: below) each threshold.
    """

    p: Float
    q: Float
    p_error: Float
    q_error: Float

    def reversed(self) -> Masses:
        """Of -L, with P and Q exchanged."""
        return Masses(p=self.q[::-1], q=self.p[::-1], p_error=self.q_error[::-1], q_error=self.p_error[::-1])


@runtime_checkable
class LossLaw(Protocol):
    """The privacy loss of one step in one direction."""

    def atoms(self) -> Atoms:
        """The discrete part."""
        ...

    def masses(self, thresholds: Float) -> Masses | None:
        """The continuous part, cut at thresholds (rising, shape (n + 1,)); None where there is none."""
        ...

    def extent(self, tail: float) -> tuple[float, float]:
        """Bounds on the finite losses; neither P nor Q has a mass above `tail` on either side outside them."""
        ...

    def bounds(self) -> tuple[float, float]:
        """Least and greatest values of the loss, essential ones; infinite when unbounded, outward of every error."""
        ...


def _normal(points: Float, centre: float) -> tuple[Float, Float]:
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
        """None, unless nothing moves."""
        return NO_ATOMS if self.mu > 0 else Atoms(p=np.ones(1), loss=np.zeros(1))

    def masses(self, thresholds: Float) -> Masses | None:
        """Two normal laws cut at one place."""
        if self.mu == 0:
            return None
        points = thresholds / self.mu + self.mu / 2
        p, p_error = _normal(points, self.mu)
        q, q_error = _normal(points, 0.0)
        return Masses(p=p, q=q, p_error=p_error, q_error=q_error)

    def extent(self, tail: float) -> tuple[float, float]:
        """Symmetric: P reaches up as far as Q reaches down."""
        reach = self.mu * self.mu / 2 - self.mu * float(ndtri(tail))
        return -reach, reach

    def bounds(self) -> tuple[float, float]:
        """Unbounded, unless nothing moves."""
        return (-math.inf, math.inf) if self.mu > 0 else (0.0, 0.0)


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
        """With y = (shift - L) / 2 in (0, shift): density e^-y / 2 under P, e^(y - shift) / 2 under Q."""
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
        """No continuous part."""
        return None

    def extent(self, tail: float) -> tuple[float, float]:
        """From the least to the largest finite loss."""
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
class SampledLoss:
    """(1 - rate) Q + rate P against Q, from what is known of P against Q: L' = log(1 - rate + rate e^L)."""

    base: LossLaw
    rate: float

    def _forward(self, loss: Float) -> Float:
        return np.where(
            loss > 1,
            np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + loss),
            np.log1p(self.rate * np.expm1(np.minimum(loss, 1))),
        )

    def _back(self, thresholds: Float) -> Float:
        lowest = math.log1p(-self.rate)
        inner = thresholds > lowest
        # log((e^t - 1 + rate) / rate), which is -inf at and below log(1 - rate)
        small = np.where(inner & (thresholds < 1), thresholds, 0.0)
        large = np.where(thresholds >= 1, thresholds, 1.0)
        ratio = np.maximum(np.expm1(small) / self.rate + 1, 0.0)
        near = np.log(ratio, out=np.full(ratio.shape, -np.inf), where=ratio > 0)
        far = large + np.log1p(-(1 - self.rate) * np.exp(-large)) - math.log(self.rate)
        return np.where(inner, np.where(thresholds < 1, near, far), -np.inf)

    def atoms(self) -> Atoms:
        """The base's, moved."""
        found = self.base.atoms()
        q = found.p * np.exp(-found.loss)
        error = found.p_error + found.loss_error + 4 * UNIT * (1 + float(np.max(np.abs(found.loss), initial=0.0)))
        return Atoms(
            p=(1 - self.rate) * q + self.rate * found.p,
            loss=self._forward(found.loss),
            p_error=error,
            loss_error=found.loss_error + 4 * UNIT * (1 + float(np.max(np.abs(found.loss), initial=0.0))),
        )

    def masses(self, thresholds: Float) -> Masses | None:
        """The base's at the thresholds' own places."""
        found = self.base.masses(self._back(thresholds))
        if found is None:
            return None
        p = (1 - self.rate) * found.q + self.rate * found.p
        p_error = (1 - self.rate) * found.q_error + self.rate * found.p_error
        return Masses(p=p, q=found.q, p_error=p_error, q_error=found.q_error)

    def extent(self, tail: float) -> tuple[float, float]:
        """Never below log(1 - rate); up as far as the base's."""
        low, high = self._forward(np.array(self.base.extent(tail)))
        return float(low), float(high)

    def bounds(self) -> tuple[float, float]:
        """The base's, moved."""
        low, high = self._forward(np.array(self.base.bounds()))
        return float(low), float(high)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversedLoss:
    """(Q, P) from what is known of (P, Q), where neither charges what the other does not: L' = -L under Q."""

    base: LossLaw

    def atoms(self) -> Atoms:
        """The base's, mirrored, with the other law's masses."""
        found = self.base.atoms()
        error = found.p_error + found.loss_error + 4 * UNIT * (1 + float(np.max(np.abs(found.loss), initial=0.0)))
        return Atoms(p=found.p * np.exp(-found.loss), loss=-found.loss, p_error=error, loss_error=found.loss_error)

    def masses(self, thresholds: Float) -> Masses | None:
        """The base's, mirrored."""
        found = self.base.masses(-thresholds[::-1])
        return None if found is None else found.reversed()

    def extent(self, tail: float) -> tuple[float, float]:
        """The base's, mirrored."""
        low, high = self.base.extent(tail)
        return -high, -low

    def bounds(self) -> tuple[float, float]:
        """The base's, mirrored."""
        low, high = self.base.bounds()
        return -high, -low


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
        """None, unless nothing moves."""
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
        parts = [_normal(points, float(shift)) for shift in self.shifts]
        p = np.sum(self.weights[:, None] * np.stack([part[0] for part in parts]), axis=0)
        p_error = np.sum(self.weights[:, None] * np.stack([part[1] for part in parts]), axis=0)
        q, q_error = _normal(points, 0.0)
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
        """From the normal quantiles of the outermost parts."""
        reach = -float(ndtri(tail))
        low, high = self._loss(np.array([-reach, reach + float(np.max(self.shifts))]))[0]
        return float(low), float(high)

    def bounds(self) -> tuple[float, float]:
        """Down to the log of the weight that does not move; unbounded above, unless nothing moves."""
        if not np.any(self.shifts > 0):
            return 0.0, 0.0
        still = float(np.sum(self.weights[self.shifts == 0]))
        return math.log(still) if still > 0 else -math.inf, math.inf
