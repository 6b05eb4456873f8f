"""Two vectors with independent Laplace noise of one scale per coordinate: closed forms.

Results it rests on: the log-ratio at shift d lies in [-d, d] and is reached, so epsilon(0) is the sum of the shifts
(Dwork, McSherry, Nissim, Smith 2006); with one shifted coordinate delta(epsilon) = 1 - e^((epsilon - d)/2);
Renyi: Mironov 2017, Prop. 6; trade-off curve: the Neyman-Pearson rays. Limit: delta and the trade-off curve for two or
more shifted coordinates have no short closed form (UnsupportedError). Floats carry rounding bounds;
:meth:`LaplacePair.enclosure` uses balls and exact fractions. The *L1* distance matters, not the L2 one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.subjects import Float
from dpverify.laws.balls import at_working_precision, enclosed_ball, enclosed_fraction, exact_ball
from dpverify.laws.epsilon_at_delta import check_delta
from dpverify.laws.shift_pair import ShiftPair, checked_rates

_UNIT = 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaplacePair(ShiftPair):
    """Laplace(p_locations, scales) against Laplace(q_locations, scales), in nats."""

    def _single(self) -> float:
        moved = self.shifts[self.shifts > 0]
        if moved.size > 1:
            raise UnsupportedError(
                f"Laplace noise with {moved.size} shifted coordinates has no closed form at delta > 0"
            )
        return float(moved.sum())

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon at `delta`: the sum of the shifts at 0; at delta > 0 for one shifted coordinate only."""
        check_delta(delta)
        if delta == 0:
            return Enclosed(value=float(self.shifts.sum()), error=_rounding(self.shifts.sum(), self.shifts.size))
        shift = self._single()
        value = max(0.0, shift + 2 * math.log1p(-delta)) if delta < 1 else 0.0
        return Enclosed(value=value, error=_rounding(shift + 1) if value > 0 else 0.0)

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence at any real `epsilon`; one shifted coordinate only."""
        if math.isnan(epsilon):
            raise InputError("epsilon nan", allowed="a number")
        shift = self._single()
        value = -math.expm1((epsilon - shift) / 2) if epsilon > -shift else -math.expm1(epsilon)
        return Enclosed(value=max(0.0, value), error=_rounding(shift + 1) if epsilon < shift * (1 + 4 * _UNIT) else 0.0)

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of `order` in [1, inf], the sum over the coordinates."""
        if not order >= 1:
            raise InputError(f"order {order}", allowed="a number in [1, inf]")
        d = self.shifts
        if math.isinf(order):
            return self.epsilon(0.0)
        if order == 1:
            return Enclosed(value=float(np.sum(d + np.expm1(-d))), error=_rounding(d.sum(), d.size))
        excess, total = order - 1, 2 * order - 1
        near = np.minimum(excess * d, 1.0) / excess
        growth = (order * np.expm1(excess * near) + excess * np.expm1(-order * near)) / total
        # Where the first exponential leads, its logarithm is taken out: no overflow at any order.
        far = excess * d + np.log(order / total) + np.log1p(excess / order * np.exp(-total * d))
        value = float(np.sum(np.where(excess * d < 1, np.log1p(np.maximum(growth, 0.0)), far))) / excess
        return Enclosed(value=value, error=_rounding(d.sum() + d.size * min(1 / excess, 4 * order), d.size))

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """The exact curve, up to rounding; one shifted coordinate only. Shape of `alpha`."""
        rates, shift = checked_rates(alpha), self._single()
        low = math.exp(-shift) / 2
        steep = 1 - np.divide(np.minimum(rates, low), 2 * low, out=np.zeros_like(rates), where=np.asarray(low > 0))
        middle = np.divide(low, 2 * rates, out=np.zeros_like(rates), where=rates > 0)
        flat = 2 * low * (1 - rates)
        return np.asarray(np.where(rates <= low, steep, np.where(rates <= 0.5, middle, flat)), dtype=np.float64)

    @at_working_precision
    def delta_ball(self, epsilon: flint.arb) -> flint.arb | None:
        """A ball around delta(epsilon); None when more than one coordinate is shifted."""
        exact = self.exact_shifts()
        if len(exact) > 1:
            return None
        shift = exact_ball(sum(exact, Fraction(0)))
        ray = (-((epsilon - shift) / 2).expm1()).max(flint.arb(0))
        whole = -epsilon.expm1()  # below -shift the best event is the whole line
        if epsilon > -shift:
            return ray
        return whole if epsilon <= -shift else ray.union(whole)

    def prove(self, measure: Measure) -> Enclosed | None:
        """`enclosure`, whose lower end is proved too."""
        return self.enclosure(measure)

    @at_working_precision
    def enclosure(self, measure: Measure) -> Enclosed | None:
        """The measure with a proved error: an exact fraction for pure epsilon, else a ball; None without a formula."""
        exact, argument = self.exact_shifts(), measure.argument
        if (measure.kind == "epsilon" and argument == 0) or (measure.kind == "renyi" and math.isinf(argument)):
            return enclosed_fraction(sum(exact, Fraction(0)))
        if measure.kind == "renyi" and argument >= 1:
            return enclosed_ball(sum((_renyi_ball(exact_ball(d), argument) for d in exact), flint.arb(0)))
        if measure.kind == "delta":
            ball = self.delta_ball(flint.arb(argument))
            return None if ball is None else enclosed_ball(ball)
        if measure.kind == "epsilon" and len(exact) <= 1:
            if argument == 1:
                return Enclosed(value=0.0, proved=True)
            shift = exact_ball(sum(exact, Fraction(0)))
            return enclosed_ball((shift + 2 * (-flint.arb(argument)).log1p()).max(flint.arb(0)))
        return None


def _rounding(size: float, terms: int = 1) -> float:
    return _UNIT * (16 + terms) * float(size)


def _renyi_ball(d: flint.arb, order: float) -> flint.arb:
    a = flint.arb(order)
    if order == 1:
        return d + (-d).expm1()
    total = (a * ((a - 1) * d).exp() + (a - 1) * (-a * d).exp()) / (2 * a - 1)
    return total.log() / (a - 1)
