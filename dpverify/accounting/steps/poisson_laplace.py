"""Laplace noise on a Poisson sample, a record added or removed, or replaced.

Each record takes part with probability q, independently; a sum of vectors of L1 norm at most 1 gets Laplace noise of
scale b in every coordinate. Results: with a record added or removed, (1 - q) L(0) + q L(1) against L(0), both ways
(Zhu, Dong, Wang 2022, Theorem 11). With one replaced, (1 - q) L(0) + q L(1) against (1 - q) L(0) + q L(-1) (the pair of
Lebeda, Regehr, Kamath, Steinke 2024). That it dominates: given the other records, the laws are mixtures of L(0), L(u)
and of L(0), L(v) with norms of u and v at most 1, and at any x >= 1, with y from L(u), the hockey-stick divergence is

    q E(1 - b X - x Y)_+,  b = (x - 1)(1 - q) / q,  X = dL(0) / dL(u),  Y = dL(v) / dL(u).

(1 - s)_+ is convex, so the expectation rises when X and Y are made to rise together, and when either becomes a larger
one in the convex order: 1 / X and 1 / Y are the ratios of a shift by at most 1 and by at most 2, and at v = -u, the
norm of u being 1, in one coordinate, they are those of such shifts to one side, which rise together. Below x = 1 it
follows, as both orders of the neighbours are neighbours.

The Renyi curve with a record added or removed is an upper bound (:mod:`~dpverify.accounting.amplification`).
Not to be confused with samples of a fixed size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpverify.accounting.accountant_inputs import rounded_up
from dpverify.accounting.amplification import sampled_curve
from dpverify.accounting.loss_sources import LaplaceLoss, Losses
from dpverify.accounting.privacy_loss import UNIT, Atoms, Masses
from dpverify.accounting.steps.gaussian import LaplaceStep
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Positive, Probability
from dpverify.core.subjects import Float, LawPair
from dpverify.definitions.parameters import PublicStep
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.subsampled_pair import SubsampledLaw

_LARGEST = 300.0  # shifts in units of the scale whose exponentials, and their squares, are doubles
_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonLaplaceStep(PublicStep):
    """Laplace noise on a Poisson sample, under add-remove neighbours."""

    kind = "poisson-laplace"
    relation = "add-remove"

    q: Probability
    """Sampling probability in [0, 1]."""
    scale: Positive
    """Scale of the noise over the L1 clipping norm, finite, > 0."""

    def validate(self) -> None:
        """The cost is a double."""
        _check_scale(self.kind, self.scale)

    @classmethod
    def examples(cls) -> tuple[PoissonLaplaceStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(q=0.2, scale=0.5),
            cls(q=0.01, scale=2),
            cls(q=0.999, scale=5),
            cls(q=1, scale=1),
            cls(q=0, scale=1),
        )

    def pure_epsilon(self) -> float:
        """log(1 + q (e^(1 / scale) - 1)), rounded up."""
        if self.q == 1:
            return rounded_up(1 / Fraction(self.scale))
        return math.log1p(self.q * math.expm1(1 / self.scale)) * (1 + _ROUNDING)

    def renyi(self, orders: ArrayLike) -> Float:
        """Upper bounds on both orders, none above the pure bound; shape of `orders`."""
        found = sampled_curve(self.q, LaplaceStep(scale=self.scale).renyi, orders)
        return np.minimum(found, self.pure_epsilon())

    def laws(self) -> tuple[LawPair, ...]:
        """The mixture against the base law, and back; one pair where nothing is sampled out."""
        absent, present = (
            LaplaceLaw(locations=np.array([at]), scales=np.array(self.scale)) for at in (0.0, 1.0 if self.q else 0.0)
        )
        if self.q in (0, 1):
            return (present.against(absent),)
        pair = SubsampledLaw(absent=absent, present=present, rate=self.q).against(absent)
        return pair, pair.swap()


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonLaplaceReplaceStep(PublicStep):
    """Laplace noise on a Poisson sample, one record replaced."""

    kind = "poisson-laplace-replace"
    relation = "replace"

    q: Probability
    """Sampling probability in [0, 1]."""
    scale: Positive
    """Scale of the noise over the L1 clipping norm C, though the sum moves by up to 2 C; finite, > 0."""

    def validate(self) -> None:
        """The cost is a double."""
        _check_scale(self.kind, self.scale)

    @classmethod
    def examples(cls) -> tuple[PoissonLaplaceReplaceStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(q=0.2, scale=0.5),
            cls(q=0.01, scale=2),
            cls(q=0.999, scale=5),
            cls(q=1, scale=1),
            cls(q=0, scale=1),
        )

    def pure_epsilon(self) -> float:
        """The largest loss, rounded up: that of outputs beyond both shifts."""
        return ReplacedLaplaceLoss(shift=1 / self.scale, rate=self.q).top() * (1 + _ROUNDING)

    def losses(self) -> tuple[Losses, ...]:
        """The exact privacy loss, the same both ways."""
        if self.q in (0, 1):
            return ((LaplaceLoss(shift=2 * self.q / self.scale),),)
        return ((ReplacedLaplaceLoss(shift=1 / self.scale, rate=self.q),),)


def _check_scale(kind: str, scale: float) -> None:
    if not 1 / scale <= _LARGEST:
        raise InputError(f"{kind}: scale = {scale}", allowed=f"a scale of at least 1/{_LARGEST:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedLaplaceLoss:
    """Both laws are samples at `rate` in (0, 1), whose record moves by `shift` > 0 to one side and to the other.

    At an output y in [0, shift] the loss is log(1 - q + q e^(2 y - shift)) - log(1 - q + q e^-shift); it is odd in y
    and constant beyond: two atoms.
    """

    shift: float
    rate: float

    def top(self) -> float:
        """The largest loss."""
        return math.log1p(self.rate * math.expm1(self.shift)) - math.log1p(self.rate * math.expm1(-self.shift))

    def atoms(self) -> Atoms:
        """P of the outputs beyond either shift."""
        near, far = math.exp(-self.shift) / 2, math.exp(-2 * self.shift) / 2
        masses = np.array([(1 - self.rate) * near + self.rate * far, (1 - self.rate) * near + self.rate / 2])
        error = 16 * UNIT * (1 + self.shift)
        return Atoms(p=masses, loss=np.array([-self.top(), self.top()]), p_error=error, loss_error=error)

    def _points(self, thresholds: Float) -> Float:
        """The outputs at which the loss passes the thresholds, none beyond the shifts."""
        size, low = np.abs(thresholds), -math.expm1(-self.shift)
        # e^t (1 - q low) - (1 - q), over q.
        inner = np.expm1(np.minimum(size, self.top())) * (1 / self.rate - low) + (1 - low)
        points = np.clip((self.shift + np.log(inner)) / 2, 0.0, self.shift)
        return np.asarray(np.copysign(points, thresholds))

    def masses(self, thresholds: Float) -> Masses | None:
        """Three Laplace laws cut at one place, mixed in two ways."""
        points = np.concatenate(([-self.shift], self._points(thresholds), [self.shift]))
        (left, left_error), (still, still_error), (right, right_error) = (
            self._cells(points, at) for at in (-self.shift, 0.0, self.shift)
        )
        q, rest = self.rate, 1 - self.rate
        return Masses(
            p=rest * still + q * right,
            q=rest * still + q * left,
            p_error=rest * still_error + q * right_error,
            q_error=rest * still_error + q * left_error,
        )

    def _cells(self, points: Float, at: float) -> tuple[Float, Float]:
        """Masses between points, and at each inner one what its own rounding moves across it."""
        z = points - at
        below, above = np.exp(np.minimum(z, 0.0)) / 2, np.exp(-np.maximum(z, 0.0)) / 2
        left = z[1:] <= 0  # both ends to the left of the centre, or both to the right, or about it
        inside = np.where(
            left,
            below[1:] * -np.expm1(-np.diff(z)),
            np.where(z[:-1] >= 0, above[:-1] * -np.expm1(-np.diff(z)), 1 - below[:-1] - above[1:]),
        )
        slip = 16 * UNIT * (1 + self.shift) / self.rate
        return inside, np.minimum(slip, 1.0) * np.minimum(below, above)[1:-1]

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss is bounded."""
        return self.bounds()

    def bounds(self) -> tuple[float, float]:
        """The largest loss, to both sides."""
        return -self.top(), self.top()


def register(registry: Registry) -> None:
    """Register the steps."""
    registry.steps.add("poisson-laplace", PoissonLaplaceStep)
    registry.steps.add("poisson-laplace-replace", PoissonLaplaceReplaceStep)
