"""Additive noise of one family and one scale on both sides: the pair is known by its standardised shifts alone.

Basis: the divergences of independent additive noise depend on |x_i - y_i| / scale_i only. In doubles each
shift has a relative error of at most two units; as fractions the shifts are exact, because doubles are rational.

Gaussian noise has closed forms in mu alone: the pair is N(mu, 1) against N(0, 1) with mu the Euclidean norm of the
standardised shift, so delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) (Balle and Wang 2018,
Theorem 8), Renyi alpha mu^2 / 2 (Mironov 2017, Prop. 7), trade-off curve G_mu (Dong, Roth, Su 2022). Not to be confused
with the classical sqrt(2 ln(1.25/delta)) calibration, which is only sufficient. Pure epsilon is +inf unless mu = 0.

Two vectors with independent Laplace noise of one scale per coordinate: closed forms.

Results it rests on: the log-ratio at shift d lies in [-d, d] and is reached, so epsilon(0) is the sum of the shifts
(Dwork, McSherry, Nissim, Smith 2006); with one shifted coordinate delta(epsilon) = 1 - e^((epsilon - d)/2);
Renyi: Mironov 2017, Prop. 6; trade-off curve: the Neyman-Pearson rays. Limit: delta and the trade-off curve for two or
more shifted coordinates have no short closed form (UnsupportedError). Floats carry rounding bounds;
:meth:`LaplacePair.enclosure` uses balls and exact fractions. The *L1* distance matters, not the L2 one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import flint
import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Float
from dpverify.laws.balls import at_working_precision, enclosed_ball, enclosed_fraction, exact_ball
from dpverify.laws.epsilon_at_delta import check_delta, proved_epsilon, smallest_epsilon

_UNIT = 2.0**-53


_LAPLACE_UNIT = 2.0**-53


def checked_vectors(locations: ArrayLike, scales: ArrayLike) -> tuple[Float, Float]:
    """Frozen copies, both of shape (k,); a single scale is repeated."""
    places = np.atleast_1d(np.array(locations, dtype=np.float64))
    if places.ndim != 1 or places.size == 0 or not np.all(np.isfinite(places)):
        raise InputError(f"locations {locations!r}", allowed="finite numbers, shape (k,)")
    widths = np.array(scales, dtype=np.float64)
    if widths.ndim > 1 or widths.size not in (1, places.size) or not np.all((widths > 0) & np.isfinite(widths)):
        raise InputError(f"scales {scales!r}", allowed=f"finite numbers > 0, one or {places.size} of them")
    widths = np.array(np.broadcast_to(widths, places.shape))
    for array in (places, widths):
        array.flags.writeable = False
    return places, widths


def checked_rates(alpha: ArrayLike) -> Float:
    """False-positive rates as an array; InputError outside [0, 1]."""
    rates = np.asarray(alpha, dtype=np.float64)
    if not np.all((rates >= 0) & (rates <= 1)):
        raise InputError("a false-positive rate outside [0, 1]", allowed="numbers in [0, 1]")
    return rates


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShiftPair:
    """Noise of equal scales around two vectors of locations."""

    p_locations: Float
    q_locations: Float
    scales: Float
    """`p_locations`, `q_locations`, `scales`, shape (k,): coordinates are independent."""
    shifts: Float = field(init=False)
    """|p - q| / scale per coordinate, shape (k,)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "shifts", np.abs(self.p_locations - self.q_locations) / self.scales)

    def swap(self) -> Self:
        """The pair (Q, P)."""
        return type(self)(p_locations=self.q_locations, q_locations=self.p_locations, scales=self.scales)

    def exact_shifts(self) -> list[Fraction]:
        """The non-zero shifts as exact fractions."""
        vectors = zip(self.p_locations.tolist(), self.q_locations.tolist(), self.scales.tolist(), strict=True)
        return [abs(Fraction(p) - Fraction(q)) / Fraction(scale) for p, q, scale in vectors if p != q]


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
        return Enclosed(
            value=max(0.0, value), error=_rounding(shift + 1) if epsilon < shift * (1 + 4 * _LAPLACE_UNIT) else 0.0
        )

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
    return _LAPLACE_UNIT * (16 + terms) * float(size)


def _renyi_ball(d: flint.arb, order: float) -> flint.arb:
    a = flint.arb(order)
    if order == 1:
        return d + (-d).expm1()
    total = (a * ((a - 1) * d).exp() + (a - 1) * (-a * d).exp()) / (2 * a - 1)
    return total.log() / (a - 1)
