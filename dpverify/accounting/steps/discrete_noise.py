"""Integer noise on an integer query: the discrete Gaussian and the discrete Laplace (geometric) mechanism.

Results: N_Z(0, sigma^2) has masses proportional to e^(-i^2 / (2 sigma^2)) at the integers, and D_alpha is at most alpha
Delta^2 / (2 sigma^2) (Canonne, Kamath, Steinke 2020, arXiv 2004.00010, Theorem 14); the discrete Laplace law has masses
tanh(1 / (2 b)) e^(-|i| / b) and is exactly (Delta / b)-DP (Ghosh, Roughgarden, Sundararajan 2009). One coordinate whose
answer moves by Delta attains both pairs. Beyond the shift the ratio of geometric laws is constant: Delta + 1 outcomes.

Side: the discrete Gaussian's losses leave out masses below 1e-290; all else is exact. Not to be confused with
continuous noise that is rounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import flint
import numpy as np

from dpverify.accounting.accountant_inputs import rounded_up
from dpverify.accounting.loss_sources import FiniteLoss, Losses
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.privacy_loss import UNIT
from dpverify.core.registry import Registry
from dpverify.core.rules import Between
from dpverify.core.subjects import Float, LawPair
from dpverify.definitions.parameters import PublicStep
from dpverify.laws.balls import exact_ball
from dpverify.laws.discrete import DiscreteLaw

_LOG_LEAST = 680.0  # masses below e^-680 are left out
_LOSS_ERROR = 1e-12
Noise = Annotated[float, Between(0.05, 1e4)]
Shift = Annotated[int, Between(0, 1000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussianStep(PublicStep):
    """Discrete Gaussian noise on an integer query, under whichever relation the sensitivity is stated for."""

    kind = "discrete-gaussian"

    sigma: Noise
    """Parameter of the noise (about its standard deviation), in [0.05, 1e4]."""
    sensitivity: Shift = 1
    """How far the integer moves, in [0, 1000]."""

    @classmethod
    def examples(cls) -> tuple[DiscreteGaussianStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(sigma=1), cls(sigma=0.5, sensitivity=2), cls(sigma=20, sensitivity=3), cls(sigma=1, sensitivity=0))

    def renyi(self, orders: Float) -> Float:
        """alpha Delta^2 / (2 sigma^2), never below; shape of `orders`."""
        ratio = self.sensitivity / self.sigma
        return real_orders(orders) * (ratio * ratio / 2 * (1 + 8 * UNIT))

    def losses(self) -> tuple[Losses, ...]:
        """The exact privacy loss but for the farthest outcomes; symmetric."""
        if self.sensitivity == 0:
            return ((FiniteLoss(log_p=np.zeros(1), log_q=np.zeros(1), error=0.0),),)
        last = math.isqrt(int(2 * self.sigma**2 * _LOG_LEAST)) + 1
        places = np.arange(-last, last + self.sensitivity + 1).astype(np.float64)
        p, q = (-((places - at) ** 2) / (2 * self.sigma**2) for at in (self.sensitivity, 0))
        total = math.log(float(np.sum(np.exp(q))))
        kept = np.maximum(p, q) - total > -_LOG_LEAST
        return ((_FarLoss(log_p=p[kept] - total, log_q=q[kept] - total, error=_LOSS_ERROR),),)


class _FarLoss(FiniteLoss):
    """Finitely many outcomes of infinitely many: the loss is unbounded."""

    __slots__ = ()

    def extent(self, tail: float) -> tuple[float, float]:
        """The outcomes beyond which both laws have less than the tail."""
        ends = []
        for log_p, log_q in ((self.log_p, self.log_q), (self.log_p[::-1], self.log_q[::-1])):
            beyond = np.maximum(np.cumsum(np.exp(log_p)), np.cumsum(np.exp(log_q)))
            at = min(int(np.searchsorted(beyond, tail)), log_p.size - 1)
            ends.append(float(log_p[at] - log_q[at]))
        return ends[0], ends[1]

    def bounds(self) -> tuple[float, float]:
        """There are none."""
        return -math.inf, math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplaceStep(PublicStep):
    """Discrete Laplace (geometric) noise on an integer query, under the relation of the sensitivity."""

    kind = "discrete-laplace"

    scale: Noise
    """Scale b of the noise, whose masses fall by e^(-1 / b) from one integer to the next; in [0.05, 1e4]."""
    sensitivity: Shift = 1
    """How far the integer moves, in [0, 1000]."""

    @classmethod
    def examples(cls) -> tuple[DiscreteLaplaceStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(scale=1), cls(scale=2, sensitivity=3), cls(scale=0.5), cls(scale=100), cls(scale=1, sensitivity=0))

    def pure_epsilon(self) -> float:
        """sensitivity / scale, rounded up."""
        return rounded_up(Fraction(self.sensitivity) / Fraction(self.scale))

    def laws(self) -> tuple[LawPair, ...]:
        """One pair of as many outcomes as there are ratios; symmetric."""
        first = DiscreteLaw.from_balls(self._enclosed)
        return (first.against(DiscreteLaw.from_balls(lambda: self._enclosed()[::-1])),)

    def _enclosed(self) -> list[flint.arb]:
        """Masses of all up to 0, of 1, 2, ..., and of all from the shift on, under the law that is moved."""
        once, far = (-1 / exact_ball(self.scale)).exp(), self.sensitivity
        if far == 0:
            return [flint.arb(1)]
        inner = [once ** (far - i) * (1 - once) for i in range(1, far)]
        return [each / (1 + once) for each in (once**far, *inner, flint.arb(1))]


def register(registry: Registry) -> None:
    """Register the steps."""
    registry.steps.add("discrete-gaussian", DiscreteGaussianStep)
    registry.steps.add("discrete-laplace", DiscreteLaplaceStep)
