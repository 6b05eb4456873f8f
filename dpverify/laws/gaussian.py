"""Two vectors with independent Gaussian noise of one scale per coordinate: closed forms in mu alone.

Results it rests on: the pair is N(mu, 1) against N(0, 1) with mu the Euclidean norm of the standardised shift, so
delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) (Balle and Wang 2018, Theorem 8), Renyi
alpha mu^2 / 2 (Mironov 2017, Prop. 7), trade-off curve G_mu (Dong, Roth, Su 2022). Not to be confused with the
classical sqrt(2 ln(1.25/delta)) calibration, which is only sufficient. Pure epsilon is +inf unless mu = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

from dpverify.core.errors import InputError
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.subjects import Float
from dpverify.laws.balls import at_working_precision, enclosed_ball, enclosed_fraction, exact_ball
from dpverify.laws.epsilon_at_delta import check_delta, proved_epsilon, smallest_epsilon
from dpverify.laws.shift_pair import ShiftPair, checked_rates

_UNIT = 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GaussianPair(ShiftPair):
    """Gaussian(p_locations, scales) against Gaussian(q_locations, scales), in nats."""

    def mu(self) -> Enclosed:
        """The standardised Euclidean distance: the pair is exactly mu-GDP."""
        value = float(np.linalg.norm(self.shifts))
        return Enclosed(value=value, error=_UNIT * (8 + self.shifts.size) * value)

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon at `delta`, by root search on the closed form; +inf at delta = 0 unless nothing moved."""
        check_delta(delta)
        if delta == 0:
            return Enclosed(value=math.inf if self.mu().value > 0 else 0.0)
        return smallest_epsilon(self.delta, delta)

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence at any real or infinite `epsilon`."""
        if math.isnan(epsilon):
            raise InputError("epsilon nan", allowed="a number")
        distance = self.mu()
        mu = distance.value
        if mu == 0 or math.isinf(epsilon):
            return Enclosed(value=max(0.0, -math.expm1(min(epsilon, 0.0))))
        z = epsilon / mu - mu / 2
        if z > 0:
            # e^epsilon Phi(-z - mu) = e^(-z^2/2) erfcx((z + mu) / sqrt 2) / 2: the exponentials cancel exactly.
            tail = math.exp(-z * z / 2) / 2 if z < 60 else 0.0
            first = tail * float(erfcx(z / math.sqrt(2)))
            value = first - tail * float(erfcx((z + mu) / math.sqrt(2)))
        else:
            first = float(ndtr(-z))
            value = first - math.exp(epsilon + float(log_ndtr(-z - mu)))
        # d delta / d mu is a density at z, at most (z + 1) times the tail: the error of mu goes in with it.
        units = 16 + (8 + self.shifts.size) * (abs(z) + 1) * (abs(z) + mu + 1) + abs(epsilon)
        floor = math.exp(-(max(z, 0.0) ** 2) / 2) if z < 60 else 0.0
        return Enclosed(value=max(value, 0.0), error=_UNIT * units * max(first, floor) + 5e-324)

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of `order` in [1, inf]: order mu^2 / 2."""
        if not order >= 1:
            raise InputError(f"order {order}", allowed="a number in [1, inf]")
        if math.isinf(order):
            return self.epsilon(0.0)
        value = order * float(np.sum(self.shifts**2)) / 2
        return Enclosed(value=value, error=_UNIT * (8 + self.shifts.size) * value)

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """G_mu, exact up to rounding; shape of `alpha`."""
        return np.asarray(ndtr(-ndtri(checked_rates(alpha)) - self.mu().value), dtype=np.float64)

    def _exact_square(self) -> Fraction:
        return sum((shift * shift for shift in self.exact_shifts()), Fraction(0))

    @at_working_precision
    def delta_ball(self, epsilon: flint.arb) -> flint.arb:
        """A ball around delta(epsilon)."""
        square = self._exact_square()
        if square == 0:
            return (-epsilon.expm1()).max(flint.arb(0))
        mu = exact_ball(square).sqrt()
        first, second = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return (_upper_tail(first) - epsilon.exp() * _upper_tail(second)).max(flint.arb(0))

    def prove(self, measure: Measure) -> Enclosed | None:
        """`enclosure`, whose lower end is proved too."""
        return self.enclosure(measure)

    @at_working_precision
    def enclosure(self, measure: Measure) -> Enclosed | None:
        """The measure with a proved error: an exact fraction for Renyi, balls otherwise."""
        square, argument = self._exact_square(), measure.argument
        if (measure.kind == "epsilon" and argument == 0) or (measure.kind == "renyi" and math.isinf(argument)):
            return Enclosed(value=math.inf if square > 0 else 0.0, proved=True)
        if measure.kind == "renyi" and argument >= 1:
            return enclosed_fraction(Fraction(argument) * square / 2)
        if measure.kind == "mu":
            return enclosed_ball(exact_ball(square).sqrt())
        if measure.kind == "delta":
            return enclosed_ball(self.delta_ball(flint.arb(argument)))
        if measure.kind == "epsilon":
            return proved_epsilon(self.delta_ball, argument, near=self.epsilon(argument).value)
        return None


def _upper_tail(z: flint.arb) -> flint.arb:
    return (z / flint.arb(2).sqrt()).erfc() / 2
