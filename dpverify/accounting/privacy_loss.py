"""The privacy loss L = log(P(y) / Q(y)), y ~ P, of one step: its atoms and the masses between any two thresholds.

Basis: a pair (P, Q) is known, for every composition, by the law of L under P alone (Dwork and Rothblum 2016;
Sommer, Meiser, Mohammadi 2019); the law under Q follows from it. Each family (``loss_sources``,
and those derived from them) gives both masses in closed form, on whichever tail is small, so that
tails keep their relative precision.

Assumptions: L is a monotone function of one real output (additive Gaussian or Laplace noise, and a Poisson sample of
it), or the outcomes are finitely many. Limits: no family for opaque densities. Not to be confused with the loss of one
*run*, nor with its expectation (the Kullback-Leibler divergence).

Privacy losses made from another one: of a Poisson sample, and of the two laws exchanged.

Basis: L' = log(1 - rate + rate e^L) is monotone in L, so the sample's masses are the base's at moved
thresholds; and under Q the loss of (Q, P) is -L. Assumptions: the base gives both masses. Limits: a sample of several
coordinates is no function of one loss and has no place here. Not to be confused with
``loss_sources.GaussianMixtureLoss``, which inverts the loss of any mixture of normal laws numerically.

Beside a randomised response a loss is moved by +epsilon or -epsilon: the pair of laws of an epsilon-DP mechanism of
which nothing else is known has two outcomes, of losses +-epsilon (Kairouz, Oh, Viswanath 2015), and run beside another
mechanism the losses add up. One law of both is what a Poisson sample needs that both were computed on. Limits: a base
without atoms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dpverify.core.subjects import Float

UNIT = 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True)
class Atoms:
    """Losses taken with positive probability."""

    p: Float
    loss: Float
    """`p`, `loss`, shape (k,): mass under P and the loss; +inf where Q has no mass."""
    p_error: float = 0.0
    loss_error: float = 0.0
    """`p_error`, `loss_error`: bounds on the relative error of each mass and on the absolute error of each loss."""


NO_ATOMS = Atoms(p=np.zeros(0), loss=np.zeros(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Masses:
    """Masses of the continuous part, between thresholds t_0 < ... < t_n."""

    p: Float
    q: Float
    """`p`, `q`, shape (n + 2,): under P and Q, of (-inf, t_0], (t_0, t_1], ..., (t_n, inf)."""
    p_error: Float
    q_error: Float
    """`p_error`, `q_error`, shape (n + 1,): bounds on the absolute error of the mass above (equally: below) each
    threshold."""

    def reversed(self) -> Masses:
        """Return the law of -L, with P and Q exchanged."""
        return Masses(p=self.q[::-1], q=self.p[::-1], p_error=self.q_error[::-1], q_error=self.p_error[::-1])


@runtime_checkable
class LossLaw(Protocol):
    """The privacy loss of one step in one direction."""

    def atoms(self) -> Atoms:
        """The discrete part: single losses with a positive probability."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenLoss:
    """A loss that is not known but lies between two in the order that composition keeps; it reads as the upper one."""

    upper: LossLaw
    """It costs no less in any composition."""
    lower: LossLaw
    """It costs no more: `NoLoss` where nothing is known from below."""

    def atoms(self) -> Atoms:
        """The atoms are those of the upper law."""
        return self.upper.atoms()

    def masses(self, thresholds: Float) -> Masses | None:
        """The masses are those of the upper law."""
        return self.upper.masses(thresholds)

    def extent(self, tail: float) -> tuple[float, float]:
        """The extent is that of the upper law."""
        return self.upper.extent(tail)

    def bounds(self) -> tuple[float, float]:
        """The bounds are those of the upper law."""
        return self.upper.bounds()


def lower_of(law: LossLaw) -> LossLaw:
    """The law that costs no more: the law itself, unless it lies between two or is made from one that does."""
    if isinstance(law, BetweenLoss):
        return law.lower
    made: Any = law
    base = getattr(made, "base", None)
    least = None if base is None else lower_of(base)
    return law if least is base else replace(made, base=least)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoLoss:
    """Both laws are the same."""

    def atoms(self) -> Atoms:
        """The loss is 0."""
        return Atoms(p=np.ones(1), loss=np.zeros(1))

    def masses(self, thresholds: Float) -> Masses | None:
        """There is no continuous part."""
        return None

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss is 0."""
        return 0.0, 0.0

    def bounds(self) -> tuple[float, float]:
        """The loss is 0."""
        return 0.0, 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledLoss:
    """(1 - rate) Q + rate P against Q, from the law of P against Q: L' = log(1 - rate + rate e^L)."""

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
        """Atoms of the base law, each at its loss after sampling."""
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
        """Masses of the base law at the transformed thresholds."""
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
        """Return the base law's bounds, as sampling changes them."""
        low, high = self._forward(np.array(self.base.bounds()))
        return float(low), float(high)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversedLoss:
    """(Q, P) from the law of (P, Q), where both have the same support: L' = -L under Q."""

    base: LossLaw

    def atoms(self) -> Atoms:
        """Return the base law's atoms with their signs turned, and with the other law's masses."""
        found = self.base.atoms()
        finite = found.loss < np.inf  # what only P has is no outcome of Q
        p, loss = found.p[finite], found.loss[finite]
        error = found.p_error + found.loss_error + 4 * UNIT * (1 + float(np.max(np.abs(loss), initial=0.0)))
        return Atoms(p=p * np.exp(-loss), loss=-loss, p_error=error, loss_error=found.loss_error)

    def masses(self, thresholds: Float) -> Masses | None:
        """Return the base law's masses between the thresholds with their signs turned, both laws exchanged."""
        found = self.base.masses(-thresholds[::-1])
        return None if found is None else found.reversed()

    def extent(self, tail: float) -> tuple[float, float]:
        """Return the base law's extent with its ends exchanged and their signs turned."""
        low, high = self.base.extent(tail)
        return -high, -low

    def bounds(self) -> tuple[float, float]:
        """Return the base law's bounds, exchanged, with their signs turned."""
        low, high = self.base.bounds()
        return -high, -low


@dataclass(frozen=True, slots=True, kw_only=True)
class WithResponseLoss:
    """`base`, which has no atoms, and an independent response with `epsilon` > 0."""

    base: LossLaw
    epsilon: float

    def atoms(self) -> Atoms:
        """There are none."""
        return NO_ATOMS

    def masses(self, thresholds: Float) -> Masses | None:
        """Both outcomes' masses, weighted by their chances under P and under Q."""
        likely, unlikely = self.base.masses(thresholds - self.epsilon), self.base.masses(thresholds + self.epsilon)
        if likely is None or unlikely is None:
            return None
        rare = 1.0 / (1.0 + math.exp(self.epsilon))
        often = 1.0 - rare
        slack = 1 + 8 * UNIT * (1 + self.epsilon)
        return Masses(
            p=often * likely.p + rare * unlikely.p,
            q=rare * likely.q + often * unlikely.q,
            p_error=slack * (often * likely.p_error + rare * unlikely.p_error) + 8 * UNIT * rare,
            q_error=slack * (rare * likely.q_error + often * unlikely.q_error) + 8 * UNIT * rare,
        )

    def extent(self, tail: float) -> tuple[float, float]:
        """The base law's, wider by epsilon."""
        low, high = self.base.extent(tail)
        return low - self.epsilon, high + self.epsilon

    def bounds(self) -> tuple[float, float]:
        """The base law's, wider by epsilon."""
        low, high = self.base.bounds()
        return low - self.epsilon, high + self.epsilon
