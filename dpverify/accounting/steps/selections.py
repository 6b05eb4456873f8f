"""Private selection, and zero-concentrated DP: the exponential mechanism, permute-and-flip, and a guarantee of zCDP.

Exponential mechanism with weights e^(epsilon u / (2 Delta)), Delta the sensitivity of the scores u: the loss of any two
neighbours lies in an interval [s - epsilon, s] that depends on them (Durfee and Rogers 2019, arXiv 1905.04273: bounded
range), so it is epsilon-DP. Write k = e^-epsilon, Z = e^L. Under Q, Z has mean 1 and lies between e^s k and e^s, so in
the convex order it is below the law on these two ends, of which Q gives the upper one (e^-s - k) / (1 - k). At
abs(t) <= epsilon its divergence, at most (1 - e^s' k)(1 - e^(t - s')) / (1 - k), is largest at s' = (epsilon + t) / 2:

    H(t) = (1 - e^((t - epsilon) / 2))^2 / (1 - k),

convex in e^t and the same for both orders; the pair with this profile has the density e^(L / 2) sqrt(k) / (2 (1 - k))
of the loss under P, e^(-L / 2) the same under Q, between -epsilon and epsilon. It dominates every step, so compositions
of it bound compositions (Zhu, Dong, Wang 2022, Theorem 10). Below: two candidates whose scores move oppositely, which
attain s = epsilon / 2 (for one t each: what lies between is not known here). Renyi: by Hoeffding's lemma, s D_alpha <=
s KL + s^2 epsilon^2 / 8 with s = alpha - 1 and KL = u - 1 - ln u, u = epsilon / (e^epsilon - 1), the largest over s
(Bun and Steinke 2016; Dong, Durfee, Rogers 2020, arXiv 1909.13830); KL <= epsilon^2 / 8 by the same lemma. With
E Z^alpha taken at the ends as above, e^(s D_alpha) is at most b^s (1 - k^alpha) / (alpha (1 - k)),
b = s (1 - k^alpha) / (alpha (k - k^alpha)) being e^s' at its largest: the least of the two, and of epsilon, is offered.

Permute-and-flip (McKenna and Sheldon 2020, arXiv 2010.12603) is the largest score with exponential noise of scale
2 Delta / epsilon (Ding, Kifer, Sayed, Steinke, Wang, Xiao, Zhang 2021, arXiv 2105.07260). The event that a set A has
the winner says that D, the difference of the maxima over A and over the rest, is above 0; a neighbour lowers D by
2 Delta at most. Noise of this kind has hazards of at most r = epsilon / (2 Delta), and so have maxima of it: G(y) =
P(D > y) falls with a slope of at most r G and of at most r (1 - G). The Laplace law of scale 1 / r has equality, so
G(2 Delta) is not below its value after the same shift: no divergence is above that of Laplace noise of scale
1 / epsilon on a query of sensitivity 1. Below: two candidates, e^(-epsilon / 2) / 2 against 1 minus that.

zCDP: D_alpha <= xi + rho alpha (Bun and Steinke 2016, arXiv 1605.02065, Definition 1.1).

Side: brackets for selections, upper for Renyi curves and zCDP. Not to be confused with `pure`, of which nothing but
epsilon is known and which costs more, nor with monotone scores, which pay half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from dpverify.accounting.accountant_inputs import LEAST, rounded_up
from dpverify.accounting.loss_sources import FiniteLoss, LaplaceLoss, Losses
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.privacy_loss import NO_ATOMS, UNIT, Atoms, BetweenLoss, LossLaw, Masses, NoLoss
from dpverify.accounting.steps.gaussian import LaplaceStep
from dpverify.accounting.steps.group import grouped
from dpverify.core.composition import Step
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between, NonNegative
from dpverify.core.subjects import Float
from dpverify.definitions.parameters import PublicStep

_ROUNDING = 1e-14
_Epsilon = Annotated[float, Between(0, 700)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeLoss:
    """The loss above every mechanism whose losses lie in an interval of length `epsilon` > 0."""

    epsilon: float

    def atoms(self) -> Atoms:
        """There are none."""
        return NO_ATOMS

    def masses(self, thresholds: Float) -> Masses | None:
        """Differences of e^(L / 2) and of e^(-L / 2), to the ends that are nearer."""
        inner = np.clip(np.concatenate(([-np.inf], thresholds, [np.inf])), -self.epsilon, self.epsilon)
        width, scale = np.diff(inner) / 2, -math.expm1(-self.epsilon)
        p = np.exp((inner[1:] - self.epsilon) / 2) * -np.expm1(-width) / scale
        q = np.exp(-(inner[:-1] + self.epsilon) / 2) * -np.expm1(-width) / scale
        # A threshold rounded by one unit moves mass across it.
        error = 8 * UNIT * (1 + self.epsilon) / scale
        at = inner[1:-1]
        return Masses(
            p=p,
            q=q,
            p_error=error * np.exp((at - self.epsilon) / 2),
            q_error=error * np.exp(-(at + self.epsilon) / 2),
        )

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss is bounded."""
        return self.bounds()

    def bounds(self) -> tuple[float, float]:
        """Epsilon, to both sides."""
        return -self.epsilon, self.epsilon


def _two_outcomes(loss: float) -> LossLaw:
    """Two outcomes of losses +loss and -loss."""
    likely, unlikely = -math.log1p(math.exp(-loss)), -loss - math.log1p(math.exp(-loss))
    return FiniteLoss(
        log_p=np.array([likely, unlikely]),
        log_q=np.array([unlikely, likely]),
        error=8 * UNIT * (1 + loss),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMechanismStep(PublicStep):
    """One selection by the exponential mechanism, under the relation of its sensitivity."""

    kind = "exponential-mechanism"

    epsilon: _Epsilon
    """Length of the range of losses, nats: weights are e^(epsilon score / (2 sensitivity)); in [0, 700]."""

    @classmethod
    def examples(cls) -> tuple[ExponentialMechanismStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(epsilon=1), cls(epsilon=0.01), cls(epsilon=0), cls(epsilon=20))

    def pure_epsilon(self) -> float:
        """Epsilon: 0 lies in the range."""
        return self.epsilon

    def renyi(self, orders: Float) -> Float:
        """The least of the three bounds; shape of `orders`."""
        alpha = real_orders(orders)
        if self.epsilon == 0:
            return np.zeros_like(alpha)
        epsilon, s = self.epsilon, alpha - 1
        rest = epsilon / math.expm1(epsilon) - 1
        mean = rest - math.log1p(rest) + 16 * UNIT if epsilon < 30 else epsilon
        hoeffding = (min(mean, epsilon * epsilon / 8) + s * (epsilon * epsilon / 8)) * (1 + _ROUNDING)
        log_above = np.log(-np.expm1(-alpha * epsilon))  # of 1 - k^alpha
        log_b = np.log(s / alpha) + log_above + epsilon - np.log(-np.expm1(-s * epsilon))
        log_moment = s * log_b + log_above - np.log(alpha) - math.log(-math.expm1(-epsilon))
        rounding = 64 * UNIT * (8 + np.abs(np.log(s)) + np.log(alpha) + epsilon - math.log(-math.expm1(-epsilon)))
        ends = (log_moment + rounding * (1 + s)) / s
        return np.asarray(np.clip(np.minimum(hoeffding, ends), LEAST, epsilon), dtype=np.float64)

    def losses(self) -> tuple[Losses, ...]:
        """The pair above, the same both ways; two candidates below."""
        if self.epsilon == 0:
            return ((NoLoss(),),)
        return ((BetweenLoss(upper=RangeLoss(epsilon=self.epsilon), lower=_two_outcomes(self.epsilon / 2)),),)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteAndFlipStep(PublicStep):
    """One selection by permute-and-flip, under the relation of its sensitivity."""

    kind = "permute-and-flip"

    epsilon: _Epsilon
    """Nats: a candidate is taken with probability e^(epsilon (score - best) / (2 sensitivity)); in [0, 700]."""

    @classmethod
    def examples(cls) -> tuple[PermuteAndFlipStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(epsilon=1), cls(epsilon=0.01), cls(epsilon=0), cls(epsilon=20))

    def pure_epsilon(self) -> float:
        """Epsilon, as of the Laplace mechanism."""
        return self.epsilon

    def renyi(self, orders: Float) -> Float:
        """The curve of Laplace noise; shape of `orders`."""
        return LaplaceStep(scale=1.0, sensitivity=self.epsilon).renyi(orders)

    def losses(self) -> tuple[Losses, ...]:
        """Laplace noise above, the same both ways; two candidates below."""
        if self.epsilon == 0:
            return ((NoLoss(),),)
        # log((1 - m) / m) of m = e^(-epsilon / 2) / 2
        odds = self.epsilon / 2 + math.log(2.0) + math.log1p(-math.exp(-self.epsilon / 2) / 2)
        return ((BetweenLoss(upper=LaplaceLoss(shift=self.epsilon), lower=_two_outcomes(odds)),),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZcdpStep(PublicStep):
    """A mechanism of which zero-concentrated DP is known, under whichever relation that is stated for."""

    kind = "zcdp"

    rho: NonNegative
    xi: NonNegative = 0.0
    """`rho`, `xi`: D_alpha <= xi + rho alpha at every order; finite, >= 0."""

    @classmethod
    def examples(cls) -> tuple[ZcdpStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(rho=0.5), cls(rho=0.01, xi=0.1), cls(rho=0), cls(rho=0, xi=1))

    def renyi(self, orders: Float) -> Float:
        """Xi + rho alpha, never below; shape of `orders`."""
        with np.errstate(over="ignore"):
            return np.asarray((self.xi + self.rho * real_orders(orders)) * (1 + 4 * UNIT), dtype=np.float64)


@grouped.register
def _zcdp(step: ZcdpStep, size: int) -> Step:
    """Bun, Steinke 2016, Proposition 1.9: rho grows with the square of the group."""
    if step.xi:
        raise InputError(f"group: step {step.text()}", allowed="zcdp without xi")
    return ZcdpStep(rho=rounded_up(Fraction(step.rho) * size**2))


def register(registry: Registry) -> None:
    """Register the steps."""
    registry.steps.add("exponential-mechanism", ExponentialMechanismStep)
    registry.steps.add("permute-and-flip", PermuteAndFlipStep)
    registry.steps.add("zcdp", ZcdpStep)
