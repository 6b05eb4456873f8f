"""One of several Gaussian mechanisms, drawn with public weights: RSGD's bound, and the exact law of the simplest case.

Result: e^((alpha - 1) D_alpha) of the mixture is at most the mixture of the parts' (RSGD Lemma 3, DISS Lemma 3.2; joint
convexity), with alpha (alpha - 1) Delta_j^2 / (2 sigma^2) in the exponent of part j. Two steps:

- ``mixture``: RSGD's setting. The answers of different parts lie anywhere, so the index may be as good as published;
  the bound is then attained. Nothing else is offered: no pair of hidden-index laws dominates.
- ``mixture-gaussian``: all parts answer alike without the record, and move along one line with it. Then the pair is
  sum_j w_j N(Delta_j, sigma^2) against N(0, sigma^2), exactly; Lemma 3 is above it.

Side: upper, rounding below `ROUNDING`. Not to be confused with a sum over parts (composition).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from dpverify.accounting.loss_derived import ReversedLoss
from dpverify.accounting.loss_gaussian import GaussianMixtureLoss
from dpverify.accounting.loss_sources import Losses
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.public_step import PublicStep
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import NON_NEGATIVE, SHARE, Each, Positive
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.density import GaussianLaw
from dpverify.laws.product import MixtureLaw

ROUNDING = 1e-13
"""Relative slack that the bound is raised by."""
_MASS_TOLERANCE = 1e-9
_LARGE = 1.0
_SUBNORMAL = 1e-307  # below it numbers lose digits, and the relative slack says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureStep(PublicStep):
    """A Gaussian mechanism drawn from several, the index hidden, under the relation of the sensitivities.

    Attributes
    ----------
    weights : tuple of float
        Public probabilities > 0, summing to 1 up to 1e-9.
    shifts : tuple of float
        L2 sensitivity of each part, finite, >= 0.
    sigma : float
        Standard deviation of every part's noise, in the same unit; finite, > 0.

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "mixture"

    weights: Annotated[tuple[float, ...], Each(SHARE)]
    shifts: Annotated[tuple[float, ...], Each(NON_NEGATIVE)]
    sigma: Positive

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
    def examples(cls) -> tuple[MixtureStep, ...]:
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


class MixtureGaussianStep(MixtureStep):
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


def register(registry: Registry) -> None:
    """Offer both steps."""
    for step in (MixtureStep, MixtureGaussianStep):
        registry.steps.add(step.kind, step)
