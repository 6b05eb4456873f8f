"""The Gaussian mechanism on a Poisson sample: one step of DP-SGD.

Each record takes part with probability q, independently; a sum of vectors of norm at most 1 gets N(0, sigma^2) noise in
every coordinate. Results: the worst add-remove neighbours give (1 - q) N(0, sigma^2) + q N(1, sigma^2) against
N(0, sigma^2) (Mironov, Talwar, Zhang 2019, Theorem 4). Its Renyi curve is computed at all real orders, towards the base
law, the larger direction (their Theorem 5); where the lattice of ``subsampled_gaussian`` serves, it is above the truth
by a few 1e-12 of it at orders from 1.01 on. Not to be confused with batches of fixed size, with shuffled epochs, or
with replacing a record.

The Gaussian mechanism on a Poisson sample where one record is *replaced*: one step of DP-SGD, n public.

Each record takes part with probability q; a sum of vectors of norm at most 1 gets N(0, sigma^2) noise. Result: the
worst neighbours give (1 - q) N(0, sigma^2) + q N(1, sigma^2) against (1 - q) N(0, sigma^2) + q N(-1, sigma^2), exactly
(Lebeda, Regehr, Kamath, Steinke 2024, "Avoiding Pitfalls for Privacy Accounting of Subsampled Mechanisms under
Composition", use this pair). That it dominates: given the other records, the laws are mixtures of N(0), N(u) and of
N(0), N(v) with |u|, |v| <= 1, and at any a >= 1, with x from N(u), the hockey-stick divergence is

    q E(1 - b X - a Y)_+,  b = (a - 1)(1 - q) / q,  X = dN(0) / dN(u),  Y = dN(v) / dN(u).

log X and log Y are normal with covariances |u|^2, |u - v|^2, |u|^2 - u.v over sigma^2, and E X = E Y = 1. (1 - s)_+ is
convex in s = b X + a Y, so the expectation rises with every entry of the covariance (Kahane's comparison), and all are
largest at v = -u, |u| = 1. Below a = 1 it follows as both orders of the neighbours are neighbours. The expectation
given the past is bounded in the same way for whatever weights b and a, so adaptively chosen steps compose.

Not to be confused with :mod:`~dpverify.accounting.steps.poisson_gaussian` (a record added or removed), which costs
less than half, nor with samples of a fixed size (:mod:`~dpverify.accounting.steps.fixed_size_gaussian`).

The pair is (1 - q) N(0, 1) + q N(mu, 1) against (1 - q) N(0, 1) + q N(-mu, 1). With y the output, L = log of the ratio
rises with y and is odd in it, and its inverse is closed: mu y = t / 2 + asinh(((1 - q) / q) e^(mu^2 / 2) sinh(t / 2)).
Both masses between thresholds follow, each a mixture of two normal laws'; errors are those of floating point, carried
by hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpverify.accounting.loss_sources import GaussianLoss, Losses, normal_cells
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.privacy_loss import NO_ATOMS, UNIT, Atoms, Masses
from dpverify.accounting.subsampled_gaussian import curve_sum, reverse_curve
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Positive, Probability
from dpverify.core.subjects import Float, LawPair
from dpverify.definitions.parameters import PublicStep
from dpverify.laws.density import GaussianLaw
from dpverify.laws.subsampled_pair import SubsampledLaw

_LARGE = 30.0  # beyond it sinh and asinh are half an exponential and a logarithm, up to 1e-26


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonGaussianStep(PublicStep):
    """Gaussian noise on a Poisson sample, under add-remove neighbours."""

    kind = "poisson-gaussian"
    relation = "add-remove"

    q: Probability
    """Sampling probability in [0, 1]."""
    sigma: Positive
    """Noise multiplier: standard deviation over the clipping norm; finite, > 0."""

    def validate(self) -> None:
        """The cost of the unsampled step is a double."""
        if not math.isfinite(1 / self.sigma / self.sigma):
            raise InputError(f"poisson-gaussian: sigma = {self.sigma}", allowed="a sigma with 1 / sigma^2 a double")

    @classmethod
    def examples(cls) -> tuple[PoissonGaussianStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(q=256 / 50000, sigma=1),
            cls(q=0.3, sigma=0.1),
            cls(q=0.999, sigma=3),
            cls(q=1e-6, sigma=50),
            cls(q=1, sigma=2),
            cls(q=0, sigma=1),
        )

    def renyi(self, orders: ArrayLike) -> Float:
        """Both directions (the mixture from the base law is never the smaller), never below; shape of `orders`."""
        return self.renyi_sum((self,), (1,), orders)

    def renyi_reverse(self, orders: ArrayLike) -> Float:
        """The base law from the mixture alone, never below the truth; shape of `orders`."""
        array = real_orders(orders)
        return reverse_curve(self.q, self.sigma, array.ravel()).reshape(array.shape)

    @classmethod
    def renyi_sum(cls, steps: Sequence[PoissonGaussianStep], counts: Sequence[int], orders: ArrayLike) -> Float:
        """Sum of count times curve over different steps, in one pass without temporaries; shape of `orders`."""
        array = real_orders(orders)
        rates, sigmas = (np.array([getattr(step, name) for step in steps], dtype=np.float64) for name in ("q", "sigma"))
        times = np.nextafter(np.array(counts, dtype=np.float64), np.inf)  # counts beyond 2^53 are rounded
        return curve_sum(rates, sigmas, times, array.ravel()).reshape(array.shape)

    def laws(self) -> tuple[LawPair, ...]:
        """The mixture against the base law, and back; one pair where nothing is sampled out."""
        absent, present = (
            GaussianLaw(locations=np.array([at]), scales=np.array(self.sigma)) for at in (0.0, 1.0 if self.q else 0.0)
        )
        if self.q in (0, 1):
            return (present.against(absent),)
        pair = SubsampledLaw(absent=absent, present=present, rate=self.q).against(absent)
        return pair, pair.swap()


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonGaussianReplaceStep(PublicStep):
    """Gaussian noise on a Poisson sample, one record replaced."""

    kind = "poisson-gaussian-replace"
    relation = "replace"

    q: Probability
    """Sampling probability in [0, 1]."""
    sigma: Positive
    """Noise multiplier: standard deviation over the clipping norm C, though the sum moves by up to 2 C; finite, > 0."""

    def validate(self) -> None:
        """The cost of the unsampled step is a double."""
        if not math.isfinite(4 / self.sigma / self.sigma):
            raise InputError(f"{self.kind}: sigma = {self.sigma}", allowed="a sigma with 4 / sigma^2 a double")

    @classmethod
    def examples(cls) -> tuple[PoissonGaussianReplaceStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(q=256 / 50000, sigma=1),
            cls(q=0.3, sigma=0.5),
            cls(q=0.999, sigma=3),
            cls(q=1, sigma=2),
            cls(q=0, sigma=1),
        )

    def losses(self) -> tuple[Losses, ...]:
        """The exact privacy loss, the same both ways."""
        if self.q in (0, 1):
            return ((GaussianLoss(mu=2 * self.q / self.sigma),),)
        return ((ReplacedGaussianLoss(mu=1 / self.sigma, rate=self.q),),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedGaussianLoss:
    """Both laws are samples at `rate` in (0, 1), whose record moves by `mu` > 0 to one side and to the other."""

    mu: float
    rate: float

    @property
    def _log_odds(self) -> float:
        """log of (1 - q) / q e^(mu^2 / 2)."""
        return math.log1p(-self.rate) - math.log(self.rate) + self.mu * self.mu / 2

    def atoms(self) -> Atoms:
        """There are none."""
        return NO_ATOMS

    def _points(self, thresholds: Float) -> Float:
        half = np.abs(thresholds) / 2
        with np.errstate(over="ignore", divide="ignore"):
            log_sinh = np.where(half > _LARGE, half - math.log(2.0), np.log(np.sinh(np.minimum(half, _LARGE))))
        argument = self._log_odds + log_sinh
        near = np.arcsinh(np.exp(np.minimum(argument, _LARGE)))
        moved = half + np.where(argument > _LARGE, argument + math.log(2.0), near)
        return np.asarray(np.copysign(moved / self.mu, thresholds))

    def masses(self, thresholds: Float) -> Masses | None:
        """Three normal laws cut at one place, mixed in two ways."""
        points = self._points(thresholds)
        (left, left_error), (still, still_error), (right, right_error) = (
            self._cells(points, at) for at in (-self.mu, 0.0, self.mu)
        )
        q, rest = self.rate, 1 - self.rate
        return Masses(
            p=rest * still + q * right,
            q=rest * still + q * left,
            p_error=rest * still_error + q * right_error,
            q_error=rest * still_error + q * left_error,
        )

    def _cells(self, points: Float, at: float) -> tuple[Float, Float]:
        """Masses of N(at, 1); a point's own rounding moves mass across it: its length times the greatest density."""
        masses, error = normal_cells(points, at)
        slip = UNIT * (8 * np.abs(points) + (16 + abs(self._log_odds)) / self.mu)
        nearest = np.maximum(np.abs(points - at) - slip, 0.0)
        return masses, error + 0.5 * slip * np.exp(-nearest * nearest / 2)

    def extent(self, tail: float) -> tuple[float, float]:
        """Symmetric: the loss where the farther normal law's tail begins."""
        high = self._loss(self.mu - float(ndtri(tail)))
        return -high, high

    def _loss(self, point: float) -> float:
        up, down = (
            np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + sign * self.mu * point - self.mu * self.mu / 2)
            for sign in (1.0, -1.0)
        )
        return float(up - down)

    def bounds(self) -> tuple[float, float]:
        """The loss is unbounded."""
        return -math.inf, math.inf


def register(registry: Registry) -> None:
    """Register the steps."""
    registry.steps.add("poisson-gaussian", PoissonGaussianStep)
    registry.steps.add("poisson-gaussian-replace", PoissonGaussianReplaceStep)
