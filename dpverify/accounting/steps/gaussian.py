"""The Gaussian mechanism: a query of L2 sensitivity Delta plus N(0, sigma^2) noise in every coordinate.

Results: D_alpha = alpha Delta^2 / (2 sigma^2) in both directions (BLSGD Lemma 1, DISS Lemma 2.1; Mironov 2017,
Proposition 7), attained by neighbours at distance Delta; the same pair is exactly (Delta / sigma)-GDP (Dong, Roth, Su
2019, Theorem 2.7). Exact up to a few units of rounding. Not to be confused with a *noise multiplier* sigma / Delta.

One of several Gaussian mechanisms, drawn with public weights: RSGD's bound, and the exact law of the simplest case.

Result: e^((alpha - 1) D_alpha) of the mixture is at most the mixture of the parts' (RSGD Lemma 3, DISS Lemma 3.2; joint
convexity), with alpha (alpha - 1) Delta_j^2 / (2 sigma^2) in the exponent of part j. Two steps:

- ``mixture``: RSGD's setting. The answers of different parts lie anywhere, so the index may be as good as published.
  Lemma 3 and the losses of the published index bound it from above; an index that stays hidden costs less.
- ``mixture-gaussian``: all parts answer alike without the record, and move along one line with it. Then the pair is
  sum_j w_j N(Delta_j, sigma^2) against N(0, sigma^2), exactly; Lemma 3 is above it.

Side: upper, rounding below `ROUNDING`. Not to be confused with a sum over parts (composition).

The Laplace mechanism: a query of L1 sensitivity Delta plus Laplace noise of scale b in every coordinate.

Results: pure epsilon d = Delta / b (Dwork, McSherry, Nissim, Smith 2006); with s = alpha - 1,
e^(s D_alpha) = alpha/(2 alpha - 1) e^(s d) + s/(2 alpha - 1) e^(-alpha d) (Mironov 2017, Proposition 6), attained in
both directions when one coordinate moves; at equal L1 distance moving several costs less, because s D_alpha is convex
in d and 0 at 0. Evaluated as 1 + (alpha f(s d) + s f(-alpha d)) / (2 alpha - 1) with f(x) = e^x - 1 - x >= 0: the
linear terms cancel in the algebra, not in the arithmetic. Relative error below `RENYI_ERROR`, to either side.
Not to be confused with discrete (geometric) Laplace noise, whose curve lies above this one on integer queries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from dpverify.accounting.accountant_inputs import LEAST, rounded_up
from dpverify.accounting.loss_sources import GaussianLoss, GaussianMixtureLoss, Losses
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.privacy_loss import UNIT, ReversedLoss
from dpverify.accounting.sampled_losses import ChosenLoss
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import NON_NEGATIVE, SHARE, Each, NonNegative, Positive
from dpverify.core.subjects import Float, LawPair
from dpverify.definitions.parameters import PublicStep
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.product import MixtureLaw

ROUNDING = 1e-13
"""Relative slack that the bound is raised by."""
_MASS_TOLERANCE = 1e-9
_LARGE = 1.0
_SUBNORMAL = 1e-307  # below it numbers lose digits, and the relative slack says nothing


RENYI_ERROR = 1e-14
"""Relative rounding error of the Renyi curve (measured against balls: below 2e-15)."""

_MANY = 1.0  # above it e^(s d) is taken out of the logarithm
_TERMS = 18  # of the series of f up to |x| = 1: the rest is below 1e-17 of it


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianStep(PublicStep):
    """Gaussian noise on a query, under whichever relation the sensitivity is stated for.

    Raises
    ------
    InputError
        For anything else, or when (sensitivity / sigma)^2 exceeds every double.
    """

    kind = "gaussian"

    sigma: Positive
    """Standard deviation, finite, > 0, in the query's unit."""
    sensitivity: NonNegative = 1.0
    """L2 sensitivity, finite, >= 0, in the same unit."""

    def validate(self) -> None:
        """The cost is a double."""
        if not math.isfinite(self.mu() * self.mu()):
            raise InputError(
                f"gaussian: sensitivity / sigma = {self.sensitivity:g} / {self.sigma:g}",
                allowed="a ratio whose square is a double",
                remedy="so little noise hides nothing",
            )

    @classmethod
    def examples(cls) -> tuple[GaussianStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(sigma=1),
            cls(sigma=8.5),
            cls(sigma=0.1, sensitivity=2),
            cls(sigma=1e4),
            cls(sigma=1, sensitivity=0),
        )

    def mu(self) -> float:
        """sensitivity / sigma; above 0 unless the sensitivity is 0."""
        return max(self.sensitivity / self.sigma, LEAST) if self.sensitivity > 0 else 0.0

    def renyi(self, orders: Float) -> Float:
        """alpha mu^2 / 2, exact in both directions; shape of `orders`."""
        with np.errstate(over="ignore"):
            bounds = real_orders(orders) * (self.mu() * self.mu() / 2)
        return np.maximum(bounds, LEAST) if self.sensitivity > 0 else bounds

    def laws(self) -> tuple[LawPair, ...]:
        """One pair: the mechanism is symmetric."""
        moved, still = (
            GaussianLaw(locations=np.array([at]), scales=np.array(self.sigma)) for at in (self.sensitivity, 0)
        )
        return (moved.against(still),)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OneOfSeveral(PublicStep):
    """A Gaussian mechanism drawn from several, under the relation of the sensitivities."""

    kind = ""

    weights: Annotated[tuple[float, ...], Each(SHARE)]
    """Public probabilities > 0, summing to 1 up to 1e-9."""
    shifts: Annotated[tuple[float, ...], Each(NON_NEGATIVE)]
    """L2 sensitivity of each part, finite, >= 0."""
    sigma: Positive
    """Standard deviation of every part's noise, in the same unit; finite, > 0."""

    def validate(self) -> None:
        """The weights are probabilities of the parts, and the cost is a double."""
        if len(self.weights) != len(self.shifts) or not self.weights:
            what = f"{self.kind}: {len(self.weights)} weights, {len(self.shifts)} shifts"
            raise InputError(what, allowed="a weight per shift")
        if abs(math.fsum(self.weights) - 1) > _MASS_TOLERANCE:
            raise InputError(f"{self.kind}: weights that sum to {math.fsum(self.weights)}", allowed="a sum of 1")
        ratio = max(self.shifts) / self.sigma
        if not math.isfinite(ratio**2 if ratio < 1e154 else math.inf):
            what = f"{self.kind}: shift / sigma = {max(self.shifts):g} / {self.sigma:g}"
            raise InputError(what, allowed="a ratio whose square is a double")

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(weights=(0.5, 0.3, 0.2), shifts=(0.1, 0.5, 1), sigma=1),
            cls(weights=(0.99, 0.01), shifts=(0, 1), sigma=0.8),
            cls(weights=(1,), shifts=(1,), sigma=4),
            cls(weights=(0.5, 0.5), shifts=(0, 0), sigma=1),
        )

    def renyi(self, orders: ArrayLike) -> Float:
        """Lemma 3, never below in either direction; shape of `orders`."""
        alpha = real_orders(orders)
        weights, mu = self._normalised()
        if not np.any(mu > 0):
            return np.zeros_like(alpha)
        s = alpha[..., None] - 1
        with np.errstate(over="ignore"):
            exponents = alpha[..., None] * s * (mu * mu / 2)
            near = np.log1p(np.sum(weights * np.expm1(np.minimum(exponents, _LARGE)), axis=-1))
            far = np.asarray(logsumexp(exponents + np.log(weights), axis=-1))
            largest = exponents.max(axis=-1)
        value = np.where(largest < _LARGE, near, far) / s[..., 0]
        return np.asarray(np.where(np.isfinite(largest), value, np.inf) * (1 + ROUNDING) + _SUBNORMAL)

    def _normalised(self) -> tuple[Float, Float]:
        weights = np.array(self.weights)
        return weights / math.fsum(self.weights), np.array(self.shifts) / self.sigma


class MixtureStep(_OneOfSeveral):
    """One of several, whose index the answer may tell."""

    __slots__ = ()
    kind = "mixture"

    def losses(self) -> tuple[Losses, ...]:
        """The loss of the part that answers, which is seen; one for both orders, as for each part."""
        weights, mu = self._normalised()
        parts = tuple((float(weight), GaussianLoss(mu=float(each))) for weight, each in zip(weights, mu, strict=True))
        return ((ChosenLoss(parts=parts, error=4 * UNIT),),)

    def only_above(self) -> str:
        """The index need not be seen."""
        return "which part answers may stay hidden"


class MixtureGaussianStep(_OneOfSeveral):
    """The step where all parts answer alike without the record and move along one ray with it; shifts are moves."""

    __slots__ = ()
    kind = "mixture-gaussian"

    def laws(self) -> tuple[LawPair, ...]:
        """The mixture against the law without the record, and back; densities on the line, error estimated."""
        weights, mu = self._normalised()
        parts = [GaussianLaw(locations=np.array([shift]), scales=np.array(1.0)) for shift in mu]
        still = GaussianLaw(locations=np.zeros(1), scales=np.array(1.0))
        if len(set(mu.tolist())) == 1:
            return (parts[0].against(still),)
        pair = MixtureLaw(laws=tuple(parts), weights=tuple(weights.tolist())).against(still)
        return pair, pair.swap()

    def losses(self) -> tuple[Losses, ...]:
        """The exact privacy loss each way, which the oracle composes."""
        weights, mu = self._normalised()
        loss = GaussianMixtureLoss(weights=weights, shifts=mu)
        return (loss,), (ReversedLoss(base=loss),)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceStep(PublicStep):
    """Laplace noise on a query, under whichever relation the sensitivity is stated for.

    Raises
    ------
    InputError
        For anything else, or when sensitivity / scale exceeds every double.
    """

    kind = "laplace"

    scale: Positive
    """Scale b of the noise (its standard deviation is sqrt(2) b), finite, > 0."""
    sensitivity: NonNegative = 1.0
    """L1 sensitivity, finite, >= 0, in the same unit."""

    def validate(self) -> None:
        """The cost is a double."""
        if math.isinf(self.pure_epsilon()):
            raise InputError(
                f"laplace: sensitivity / scale = {self.sensitivity:g} / {self.scale:g}",
                allowed="a ratio that is a double",
                remedy="so little noise hides nothing",
            )

    @classmethod
    def examples(cls) -> tuple[LaplaceStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(scale=1), cls(scale=20), cls(scale=0.01), cls(scale=1e6), cls(scale=1, sensitivity=0))

    def pure_epsilon(self) -> float:
        """sensitivity / scale, rounded up."""
        return rounded_up(Fraction(self.sensitivity) / Fraction(self.scale))

    def renyi(self, orders: Float) -> Float:
        """Mironov's Proposition 6, exact in both directions; shape of `orders`."""
        alpha = real_orders(orders)
        d, s, total = self.pure_epsilon(), alpha - 1, 2 * alpha - 1
        near = np.minimum(s * d, _MANY) / s
        growth = (alpha * _beyond_linear(s * near) + s * _beyond_linear(-alpha * near)) / total
        with np.errstate(over="ignore"):
            far = np.log(alpha / total) + np.log1p(s / alpha * np.exp(-np.minimum(total * d, 1e4)))
        value = np.where(s * d < _MANY, np.log1p(growth) / s, d + far / s)
        return np.asarray(np.clip(value, LEAST if d > 0 else 0.0, d), dtype=np.float64)

    def laws(self) -> tuple[LawPair, ...]:
        """One pair: the mechanism is symmetric."""
        moved, still = (
            LaplaceLaw(locations=np.array([at]), scales=np.array(self.scale)) for at in (self.sensitivity, 0)
        )
        return (moved.against(still),)


def _beyond_linear(x: Float) -> Float:
    """e^x - 1 - x without cancellation, for x <= 1."""
    inner = np.clip(x, -1.0, 1.0)
    series = np.ones_like(inner)
    for k in range(_TERMS, 2, -1):
        series = 1 + series * inner / k
    return np.asarray(np.where(x >= -1, inner * inner / 2 * series, np.expm1(np.minimum(x, 0.0)) - x))


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("gaussian", GaussianStep)
    for step in (MixtureStep, MixtureGaussianStep):
        registry.steps.add(step.kind, step)
    registry.steps.add("laplace", LaplaceStep)
