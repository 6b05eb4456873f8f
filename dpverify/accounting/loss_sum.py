"""The sum of many independent privacy losses on one grid, by one tilted Fourier transform, with every error bounded.

Basis: the law of a sum is the inverse transform of the product of the transforms. Before that each law is
tilted, p(l) -> p(l) e^(theta l - K(theta)), with theta such that the sum's mean falls near the epsilon asked for (the
saddle point): so rounding, which a Fourier transform spreads evenly, stays small against delta however small delta is.
What lies outside the window of the transform and is wrapped into it is bounded by Chernoff's inequality under the tilt.

Error of the transform: every output is a sum along paths of log2 N butterflies, so it is right up to
`_BUTTERFLY` log2 N units of the sum of absolute values, which is 1 here. Powers multiply that by the count. All of it
is carried to delta and widens the answer. Not to be confused with the discretisation, which `loss_grid` takes care of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import fft

from dpverify.accounting.loss_grid import GridLaw
from dpverify.accounting.privacy_loss import UNIT
from dpverify.core.subjects import Float
from dpverify.laws.discrete_pair import safe_log

Counted = tuple[tuple[GridLaw, int], ...]

_BUTTERFLY = 8.0
_OUTSIDE = 45.0  # -log of the mass outside the window, under the tilt: below the rounding of the transform
_STEEPEST = 40.0  # tilt, in standard deviations^-1: that of a normal sum at delta = e^-800
_LARGEST = 600.0  # exp of anything above is no delta
_SLOPES = tuple(2.0**k for k in range(-2, 5))  # tried in Chernoff's inequality, in standard deviations^-1


def cumulant(law: GridLaw, tilt: float) -> tuple[float, float, float]:
    """K = log sum p e^(tilt l), its first and its second derivative (mean and variance under the tilt)."""
    losses = law.losses()
    exponents = safe_log(law.p) + tilt * losses
    value = _log_sum(exponents)
    weights = np.exp(exponents - value)
    mean = float(np.sum(weights * losses))  # not `@`: threads of a BLAS cost more than they give here
    return value, mean, float(np.sum(weights * (losses - mean) ** 2))


def total_cumulant(laws: Counted, tilt: float) -> tuple[float, float, float]:
    """The cumulant of the sum."""
    found = np.array([cumulant(law, tilt) for law, _ in laws]).T @ np.array([count for _, count in laws], dtype=float)
    return float(found[0]), float(found[1]), float(found[2])


def tilt_for(laws: Counted, *, epsilon: float | None = None, log_delta: float | None = None) -> float:
    """The saddle point for an epsilon (the tilted mean is there), or for a delta (Chernoff's bound equals it).

    Any tilt is right; this one keeps rounding small.
    """

    def short(tilt: float) -> bool:
        value, mean, _ = total_cumulant(laws, tilt)
        return mean < epsilon if epsilon is not None else value - tilt * mean > (log_delta or 0.0)

    unit = 1 / max(math.sqrt(total_cumulant(laws, 0.0)[2]), 1e-12)
    high = unit / 64
    if not short(high):
        return 0.0
    while short(high) and high < _STEEPEST * unit:
        high *= 2
    low = high / 2
    for _ in range(6):
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return low


def window(laws: Counted, tilt: float) -> tuple[float, float]:
    """Losses outside of which the tilted sum has less than 2 e^-45 of its mass (Chernoff)."""
    value, mean, variance = total_cumulant(laws, tilt)
    smallest = max(law.h for law, _ in laws)
    unit = 1 / max(math.sqrt(variance), smallest)
    low, high = -math.inf, math.inf
    logs = [(safe_log(law.p), law.losses(), count) for law, count in laws]
    for slope in (unit * s for s in _SLOPES):
        up = sum(count * _log_sum(log_p + (tilt + slope) * losses) for log_p, losses, count in logs) - value
        down = sum(count * _log_sum(log_p + (tilt - slope) * losses) for log_p, losses, count in logs) - value
        high, low = min(high, (up + _OUTSIDE) / slope), max(low, -(down + _OUTSIDE) / slope)
    # Nothing lies beyond the sums of the least and of the greatest losses.
    least = math.fsum(count * float(losses[0]) for _, losses, count in logs)
    most = math.fsum(count * float(losses[-1]) for _, losses, count in logs)
    return max(min(low, mean), least) - smallest, min(max(high, mean), most) + smallest


def _log_sum(exponents: Float) -> float:
    top = float(np.max(exponents))
    return top + math.log(float(np.sum(np.exp(exponents - top))))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LossSum:
    """The law of the sum in a window, tilted."""

    losses: Float
    masses: Float
    """`losses`, `masses`, shape (N,): losses in nats, rising, and masses under the tilt."""
    tilt: float
    log_scale: float
    """`tilt`, `log_scale`: an untilted mass is masses e^(log_scale - tilt losses)."""
    mass_error: float
    """Bound on the absolute error of each mass."""
    outside: float
    """Bound on the mass that lies outside the window, or was wrapped into it."""
    relative: float
    """Bound on the relative error that all masses share, and on that of `infinite`."""
    infinite: float
    """Mass at +inf."""

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Lower and upper bound on E(1 - e^(epsilon - L))_+ of this grid law; shares no state, O(N)."""
        return self.delta_below(epsilon), self.delta_above(epsilon)

    def delta_below(self, epsilon: float) -> float:
        """The lower bound of `delta` alone, in half the time."""
        lower = self._excess(epsilon + self._room(epsilon))[0]
        return min(max(lower, 0.0) + self.infinite * (1 - self.relative), 1.0)

    def delta_above(self, epsilon: float) -> float:
        """The upper bound of `delta` alone, in half the time."""
        upper = self._excess(epsilon - self._room(epsilon))[1]
        return min(upper + self.infinite * (1 + self.relative), 1.0)

    def _room(self, epsilon: float) -> float:
        return 4 * UNIT * (abs(epsilon) + float(max(abs(self.losses[0]), abs(self.losses[-1]))))

    def _excess(self, epsilon: float) -> tuple[float, float]:
        start = int(np.searchsorted(self.losses, epsilon, side="right"))
        gap = self.losses[start:] - epsilon
        weights = np.exp(-self.tilt * gap) * -np.expm1(-gap)
        value = float(np.sum(weights * self.masses[start:]))
        error = float(np.sum(weights)) * self.mass_error + self.outside
        exponent = self.log_scale - self.tilt * epsilon
        slack = self.relative + 8 * UNIT * (abs(self.log_scale) + abs(self.tilt * epsilon) + 64)
        if exponent + slack > _LARGEST:  # far below the tilt's own epsilon: nothing is known
            return 0.0, 1.0
        return math.exp(exponent - slack) * max(value - error, 0.0), math.exp(exponent + slack) * (value + error)


class GridTooLargeError(ArithmeticError):
    """The sum does not fit into the points allowed: take a coarser grid."""


class RoundingError(ArithmeticError):
    """The masses lose all their digits: losses too large, or too many."""


def add(laws: Counted, tilt: float, *, largest: int = 1 << 24) -> LossSum:
    """The sum of `count` independent copies of each law; all on one grid interval h.

    Raises GridTooLargeError when the transform would need more than `largest` points, RoundingError when nothing would
    be known of the masses, and other ArithmeticErrors on overflow.
    """
    low, high = window(laws, tilt)
    h = laws[0][0].h
    offset = math.fsum(count * law.offset for law, count in laws)
    begin = math.floor((low - offset) / h)
    size = 1 << max(4, math.ceil(math.log2((high - low) / h + 3)))
    if size > largest:
        raise GridTooLargeError
    value, rounding, log_infinite, origin = 0.0, 0.0, 0.0, 0
    unit_error = _BUTTERFLY * UNIT * (math.log2(size) + 2)
    log_product = np.zeros(size // 2 + 1, dtype=np.complex128)
    log_bound = np.zeros(size // 2 + 1)
    amplification = np.zeros(size // 2 + 1)
    for law, count in laws:
        losses = law.losses()
        exponents = safe_log(law.p) + tilt * losses
        share = _log_sum(exponents)
        transform = fft.rfft(_folded(np.exp(exponents - share), size))
        magnitude = np.abs(transform)
        transform[magnitude == 0] = 5e-324
        log_product += count * np.log(transform)
        log_bound += count * np.log(magnitude + unit_error)
        amplification += count * (unit_error / (magnitude + unit_error) + 16 * UNIT)
        value += count * share
        reach = float(np.max(np.abs(losses)))
        rounding += count * (law.relative + UNIT * (32 + 4 * abs(tilt) * reach + 4 * abs(share) + math.log2(size)))
        log_infinite += count * math.log1p(-min(law.infinite, 1.0 - UNIT))
        origin += count * law.first
    if not rounding < 1:
        raise RoundingError
    # |a^n - b^n| <= n |a - b| max(|a|, |b|)^(n - 1), factor by factor; a factor is never above 1 in truth.
    errors = np.exp(np.minimum(log_bound, 0.0)) * amplification * math.exp(unit_error)
    product = np.exp(log_product)
    masses = fft.irfft(product, size)
    mean_error = float(np.mean(errors)) + unit_error * float(np.mean(np.abs(product)))
    index = begin + np.arange(size)
    return LossSum(
        losses=np.asarray(index * h + offset, dtype=np.float64),
        masses=np.roll(masses, -((begin - origin) % size)),
        tilt=tilt,
        log_scale=value,
        mass_error=2 * mean_error,
        outside=4 * math.exp(-_OUTSIDE),
        relative=math.expm1(rounding),
        infinite=-math.expm1(log_infinite),
    )


def _folded(values: Float, size: int) -> Float:
    """Values wrapped around a circle of `size` places."""
    padded = np.zeros(-(-values.size // size) * size)
    padded[: values.size] = values
    return np.asarray(padded.reshape(-1, size).sum(axis=0))
