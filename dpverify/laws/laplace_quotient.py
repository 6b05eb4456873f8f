"""The quotient of two noisy numbers, (s + a X) / max(c + b Y, 1) with standard Laplace X and Y, seen in cells.

Basis: for every r, P(quotient <= r) = P(s + a X <= r max(c + b Y, 1)), which is the floor's share plus one
integral over the denominator t > 1 of products of exponentials; its pieces end at t = c and t = s / r and are all
closed forms. The upper tail is the lower tail of the mirrored quotient, so both are right in *relative* terms however
far out, in floats (in log space) and in balls.

Limits: cells between given edges, not the density; the law is a coarsening (see `coarse`). Edges far from 0 against a
are where a pair of neighbours shows its full cost. Not to be confused with the ratio of two independent Laplace
variables without a floor, whose tails are heavy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from scipy.special import exprel

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Finite, Positive
from dpverify.core.subjects import Float
from dpverify.laws.balls import exact_ball
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.discrete import DiscreteLaw

_UNIT = 2.0**-53
_STEPS = 64.0
"""Roundings, each relative to an exponent, between the parameters and a cell's log-probability: about forty, counted
with those that the difference of two neighbouring tails repeats."""

FLOOR = 1
"""The least denominator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceQuotient(Checked):
    """(numerator + Lap(numerator_scale)) / max(denominator + Lap(denominator_scale), 1)."""

    numerator: Finite
    denominator: Finite
    """`numerator`, `denominator`: the noise-free numbers, taken as the rationals that the doubles are; finite."""
    numerator_scale: Positive
    denominator_scale: Positive
    """`numerator_scale`, `denominator_scale`: scales of the noise; finite, > 0."""

    def cells(self, edges: Float) -> CoarseLaw:
        """The law of the cell: below the first edge, between neighbouring ones, above the last.

        Parameters
        ----------
        edges : ndarray, shape (k,)
            Rising, finite, public; cells must not be much lighter than the lighter tail beyond them.

        Returns
        -------
        CoarseLaw
            On k + 1 cells; every divergence is a lower bound of the quotient's own.

        Raises
        ------
        InputError
            When the edges do not rise.
        """
        cuts = np.asarray(edges, dtype=np.float64)
        if cuts.ndim != 1 or cuts.size == 0 or not np.isfinite(cuts).all() or not np.all(np.diff(cuts) > 0):
            raise InputError(f"edges of shape {cuts.shape}", allowed="finite numbers that rise, shape (k,), k >= 1")
        logs, error = self._log_cells(cuts)
        exact = [Fraction(cut) for cut in cuts.tolist()]
        table = DiscreteLaw(log_probabilities=logs, error=error, enclose=lambda: self._ball_cells(exact))
        return CoarseLaw(cells=table, partition=cuts.tobytes())

    def log_below(self, points: Float) -> Float:
        """log P(quotient <= points), shape (k,); right in relative terms in the far lower tail."""
        return self._log_below(np.asarray(points, dtype=np.float64), np.float64(self.numerator))

    def _log_below(self, r: Float, s: Float | np.float64) -> Float:
        """The same for numerators `s` of the shape of `r`: mirrored ones give the upper tail."""
        c, a, b = self.denominator, self.numerator_scale, self.denominator_scale
        # No kink where r is 0 or so small that it lies beyond the doubles; -inf - -inf of empty pieces.
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            kink = np.maximum(np.where(r == 0, FLOOR, s / r), FLOOR)
            hump = np.full(r.shape, max(c, float(FLOOR)))
            ends = np.stack([np.full(r.shape, float(FLOOR)), np.minimum(kink, hump), np.maximum(kink, hump)])
            low, high = ends, np.concatenate([ends[1:], np.full((1, *r.shape), np.inf)])
            middle = np.where(np.isinf(high), low + 1.0, (low + high) / 2.0)
            side = np.where(middle < c, 1.0, -1.0) / b
            left = r * middle < s  # the numerator's noise is on its left branch: e^x / 2; on its right, 1 - e^-x / 2
            rates = np.stack([side, side + np.where(left, r, -r) / a])
            whole, half = _log_integral(rates, low, high) - np.log(2.0 * b) - side * c
            half = half + np.log(0.5) + np.where(left, -s, s) / a
            over = whole + np.log1p(-np.exp(np.minimum(half - whole, np.log(0.5))))
        pieces = np.where(left, half, np.where(whole == -np.inf, -np.inf, over))
        floor = _log_laplace((FLOOR - c) / b) + _log_laplace((FLOOR * r - s) / a)
        return np.asarray(np.logaddexp(floor, np.logaddexp.reduce(pieces, axis=0)), dtype=np.float64)

    def _mirrored(self) -> LaplaceQuotient:
        return LaplaceQuotient(
            numerator=-self.numerator,
            denominator=self.denominator,
            numerator_scale=self.numerator_scale,
            denominator_scale=self.denominator_scale,
        )

    def _log_cells(self, cuts: Float) -> tuple[Float, float]:
        """Log-probabilities of the cells, and a bound on their absolute errors."""
        k = cuts.size
        signs = np.repeat([1.0, -1.0], k)
        tails = self._log_below(signs * np.tile(cuts, 2), signs * self.numerator)
        below, above = tails[:k], tails[k:]
        far = float(np.max(np.abs(cuts)) / self.numerator_scale + abs(self.numerator) / self.numerator_scale)
        far += abs(self.denominator - FLOOR) / self.denominator_scale + float(-min(below.min(), above.min()))
        error = _STEPS * _UNIT * (1.0 + far)
        lower = below[1:] <= above[:-1]  # the difference of the lighter tails loses least
        outer, rest = np.where(lower, below[1:], above[:-1]), np.where(lower, below[:-1], above[1:])
        inner = outer + np.log(-np.expm1(rest - outer))
        logs = np.concatenate([below[:1], inner, above[-1:]])
        # Both tails of a difference carry the error, relative to the larger of them.
        spread = 2.0 * float(np.max(np.exp(outer - inner), initial=1.0))
        return np.minimum(logs, 0.0), error * spread

    def _ball_cells(self, cuts: Sequence[Fraction]) -> list[flint.arb]:
        below = [_ball_below(self, cut) for cut in cuts]
        mirrored = self._mirrored()
        above = [_ball_below(mirrored, -cut) for cut in cuts]
        inner = [
            below[i + 1] - below[i] if below[i + 1] < above[i] else above[i] - above[i + 1]
            for i in range(len(cuts) - 1)
        ]
        return [below[0], *inner, above[-1]]


def _log_laplace(x: float | Float) -> Float:
    """Log of the standard Laplace distribution function."""
    values = np.asarray(x, dtype=np.float64)
    return np.where(values < 0, np.log(0.5) + values, np.log1p(-0.5 * np.exp(-np.abs(values))))


def _log_integral(rate: Float, low: Float, high: Float) -> Float:
    """Log of the integral of e^(rate t) over [low, high]; +inf where it diverges; -inf where low = high."""
    length = high - low
    endless = np.isinf(high)
    finite = np.where(endless, 0.0, length)
    anchor = np.where(rate > 0, np.where(endless, 0.0, high), low)
    with np.errstate(divide="ignore"):
        short = rate * anchor + np.log(finite * exprel(-np.abs(rate) * finite))
        long = np.where(rate < 0, rate * low - np.log(np.abs(rate)), np.inf)
    return np.where(endless, long, short)


def _ball_below(law: LaplaceQuotient, r: Fraction) -> flint.arb:
    """P(quotient <= r) at the working precision; the same pieces as :meth:`LaplaceQuotient.log_below`."""
    s, c = Fraction(law.numerator), Fraction(law.denominator)
    a, b = Fraction(law.numerator_scale), Fraction(law.denominator_scale)
    one = Fraction(FLOOR)
    cuts = sorted({one, max(c, one), max(s / r, one) if r else one})
    total = _ball_laplace((one - c) / b) * _ball_laplace((one * r - s) / a)
    for place, low in enumerate(cuts):
        high = cuts[place + 1] if place + 1 < len(cuts) else None
        middle = low + 1 if high is None else (low + high) / 2
        side = (1 if middle < c else -1) / b
        if r * middle < s:
            piece = _ball_integral(side + r / a, -side * c - s / a, low, high) / 2
        else:
            piece = _ball_integral(side, -side * c, low, high)
            piece -= _ball_integral(side - r / a, -side * c + s / a, low, high) / 2
        total += piece / exact_ball(2 * b)
    return total


def _ball_laplace(x: Fraction) -> flint.arb:
    tail = exact_ball(-abs(x)).exp() / 2
    return tail if x < 0 else 1 - tail


def _ball_integral(rate: Fraction, shift: Fraction, low: Fraction, high: Fraction | None) -> flint.arb:
    """Integral of e^(shift + rate t) over [low, high], None for infinity (the rate is then below 0)."""
    if rate == 0 and high is not None:
        return exact_ball(high - low) * exact_ball(shift).exp()
    end = flint.arb(0) if high is None else exact_ball(shift + rate * high).exp()
    return (end - exact_ball(shift + rate * low).exp()) / exact_ball(rate)
