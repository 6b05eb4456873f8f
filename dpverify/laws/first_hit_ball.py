"""Probabilities of first hits in ball arithmetic (Arb, through python-flint): proved enclosures.

One probability is the integral over the threshold's noise z of

    density * (failures of all branches of the queries before) * (failures of the hit's earlier branches) * window,

on a finite stretch cut at the kinks: within a piece every factor is an exponential, or one minus an exponential. The
kinks are compared as fractions and must be exact as balls, so that no piece holds a sliver of the next; all pure
exponentials of a piece are one exponent, so nothing is lost on wide balls. Outside, monotone factors bound the tails:
on the left P(rho < z) times the failures and the window's upper end, on the right P(rho > z) times the chance to clear
z.

Results it rests on: `acb.integral` (Johansson 2018: Petras's algorithm with proved error bounds). The float law only
says where the stretch ends and how hard to try. Not to be confused with `first_hit_quadrature`, whose errors are
estimates.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import flint

from dpverify.laws.balls import exact_ball

if TYPE_CHECKING:
    from dpverify.laws.first_hit import FirstHitLaw

PRECISION = 128  # bits

_GOAL = -70  # bits, relative: a double has 53, and a ratio loses a few
_TAIL = 50.0  # nats below the outcome's own probability at which the window ends
_LONGEST = 16  # smallest scales: the length of a piece


def probability(law: FirstHitLaw, number: int) -> flint.arb | None:
    """A ball that contains the probability of an outcome, at the caller's working precision; None where a kink has more
    bits than that."""
    return _Integral(law, number).ball(float(law.log_probabilities()[number]))


@dataclass(frozen=True, slots=True)
class _Failure:
    """A factor F((z - kink) / scale)."""

    kink: Fraction
    scale: Fraction


class _Integral:
    """The integral of one outcome."""

    def __init__(self, law: FirstHitLaw, number: int) -> None:
        self.scale = Fraction(law.threshold_scale)
        levels = [Fraction(level) for level in law.levels.tolist()]
        tries = [(Fraction(branch.offset), Fraction(branch.scale)) for branch in law.branches]
        hit = law.outcome(number)
        failed = [(level, each) for level in levels[: len(levels) if hit is None else hit[0]] for each in tries]
        self.window: _Window | None = None
        self.share = flint.arb(1)  # of what is drawn anew
        if hit is not None:
            query, which, bin_ = hit
            branch, level = law.branches[which], levels[query]
            failed += [(level, each) for each in tries[:which]]
            lower, upper = branch.ends(bin_)
            if branch.release == "fresh":
                self.share = _between(lower, upper, level, Fraction(branch.fresh_scale))
                lower, upper = branch.offset, math.inf
            self.window = _Window(level, *tries[which], branch.release == "value", lower, upper)
        self.failures = Counter(_Failure(level - offset, scale) for level, (offset, scale) in failed)

    def ball(self, log_mass: float) -> flint.arb | None:
        """The probability, which is about e^log_mass."""
        window = self.window
        kinks = {Fraction(0), *(each.kink for each in self.failures), *(window.kinks if window else ())}
        log_mass -= float(self.share.log().mid())
        last = window.last if window else None
        low = self._end(min(kinks), -1, log_mass)
        high = self._end(max(kinks), 1, log_mass) if last is None else last
        points = self._points(low, high, kinks)
        ends = [exact_ball(point) for point in points]
        if not all(end.is_exact() for end in ends):
            return None
        allowed = flint.arb(log_mass).exp() * flint.arb(2) ** _GOAL / len(points)
        total = flint.arb(0).union(self._left(low) + (flint.arb(0) if last is not None else self._right(high)))
        for (start, end), (left, right) in zip(pairwise(points), pairwise(ends), strict=True):
            integrand = self._integrand(start, end)
            total += flint.acb.integral(
                integrand, flint.acb(left), flint.acb(right), rel_tol=flint.arb(2) ** _GOAL, abs_tol=allowed
            ).real
        return total * self.share

    def _end(self, kink: Fraction, sign: int, log_mass: float) -> Fraction:
        """A point beyond `kink` where the tail's bound is negligible."""
        step = Fraction(float(self.scale))
        point = kink + sign * step
        bound = self._left if sign < 0 else self._right
        while not bound(point) < flint.arb(log_mass - _TAIL).exp():
            step *= 2
            point = kink + sign * step
        return point

    def _points(self, low: Fraction, high: Fraction, kinks: set[Fraction]) -> list[Fraction]:
        """Ends of the pieces, increasing."""
        scales = [self.scale, *(each.scale for each in self.failures), *([self.window.scale] if self.window else [])]
        longest = _LONGEST * min(scales)
        points = [low]
        for end in [*sorted(kink for kink in kinks if low < kink < high), high]:
            parts = 1 << max(0, math.ceil(math.log2(max(1.0, float((end - points[-1]) / longest)))))
            start, length = points[-1], end - points[-1]
            points += [start + length * part / parts for part in range(1, parts + 1)]
        return points

    def _left(self, z: Fraction) -> flint.arb:
        """An upper bound on the integral over (-inf, z)."""
        bound = _below(z / self.scale)
        for each, count in self.failures.items():
            bound *= _below((z - each.kink) / each.scale) ** count
        return (bound * (self.window.at_most_left(z) if self.window else 1)).upper()

    def _right(self, z: Fraction) -> flint.arb:
        """An upper bound on the integral over (z, inf)."""
        return (_below(-z / self.scale) * (self.window.at_most_right(z) if self.window else 1)).upper()

    def _integrand(self, start: Fraction, end: Fraction) -> Callable[[flint.acb, bool], flint.acb]:
        """The integrand on a piece without a kink inside, with all its pure exponentials as one."""
        sign = 1 if end <= 0 else -1
        slope, rise = sign / self.scale, Fraction(0)
        halves, saturating = 1, []
        for each, count in self.failures.items():
            if start >= each.kink:
                saturating.append((exact_ball(each.kink), exact_ball(each.scale), count))
            else:
                slope, rise, halves = slope + count / each.scale, rise - count * each.kink / each.scale, halves + count
        slope_ball, rise_ball = exact_ball(slope), exact_ball(rise)
        factor = 1 / (exact_ball(self.scale) * flint.arb(2) ** halves)
        window = self.window.on(start) if self.window else None

        def integrand(z: flint.acb, _analytic: bool) -> flint.acb:
            value = (slope_ball * z + rise_ball).exp() * factor
            for kink, scale, count in saturating:
                value *= (1 - ((kink - z) / scale).exp() / 2) ** count
            return value if window is None else value * window(z)

        return integrand


class _Window:
    """P(max(lower, z + offset) <= level + noise < upper) for values; with z + lower, z + upper for gaps."""

    def __init__(
        self, level: Fraction, offset: Fraction, scale: Fraction, still: bool, lower: float, upper: float
    ) -> None:
        self.level, self.offset, self.scale, self.still = level, offset, scale, still
        self.lower = None if lower == -math.inf else Fraction(lower)
        self.upper = None if upper == math.inf else Fraction(upper)

    @property
    def kinks(self) -> set[Fraction]:
        """Every z at which the window changes its form."""
        if self.still:
            ends = {end - self.offset for end in (self.lower, self.upper) if end is not None}
            return ends | {self.level - self.offset}
        return {self.level - end for end in (self.lower, self.upper) if end is not None}

    @property
    def last(self) -> Fraction | None:
        """The z from which on the window is empty, if there is one."""
        return self.upper - self.offset if self.still and self.upper is not None else None

    def at_most_left(self, z: Fraction) -> flint.arb:
        """A bound on the window anywhere left of `z`."""
        if self.upper is None:
            return flint.arb(1)
        return _below(((self.upper if self.still else z + self.upper) - self.level) / self.scale)

    def at_most_right(self, z: Fraction) -> flint.arb:
        """A bound on the window anywhere right of `z`."""
        least = self.offset if self.still or self.lower is None else self.lower
        return _below((self.level - z - least) / self.scale)

    def on(self, start: Fraction) -> Callable[[flint.acb], flint.acb]:
        """The window as a function on a piece from `start` on that holds no kink."""
        level, scale = exact_ball(self.level), exact_ball(self.scale)
        if self.still:
            if self.lower is not None and start + self.offset < self.lower:
                upper = math.inf if self.upper is None else float(self.upper)
                constant = flint.acb(_between(float(self.lower), upper, self.level, self.scale))
                return lambda z: constant
            first, moves = self.offset, False
        else:
            assert self.lower is not None
            first, moves = self.lower, True
        lower = exact_ball(first)
        upper_ball = None if self.upper is None else exact_ball(self.upper)
        above = start + first >= self.level
        end = None if self.upper is None else self.upper + (start if moves else 0)
        above_too = end is None or end >= self.level

        def chance(z: flint.acb) -> flint.acb:
            at = (z + lower - level) / scale
            small = (-at if above else at).exp() / 2
            if upper_ball is None:
                return small if above else 1 - small
            at = ((z if moves else flint.acb(0)) + upper_ball - level) / scale
            other = (-at if above_too else at).exp() / 2
            return small - other if above else (1 - other - small if above_too else other - small)

        return chance


def _below(x: Fraction) -> flint.arb:
    """F(x) for Laplace noise of scale 1."""
    ball = exact_ball(x)
    return 1 - (-ball).exp() / 2 if x >= 0 else ball.exp() / 2


def _between(lower: float, upper: float, level: Fraction, scale: Fraction) -> flint.arb:
    """P(lower <= level + noise < upper), from the tail in which both lie."""
    first = None if lower == -math.inf else (Fraction(lower) - level) / scale
    last = None if upper == math.inf else (Fraction(upper) - level) / scale
    if first is not None and first >= 0:
        return _below(-first) - (flint.arb(0) if last is None else _below(-last))
    return (flint.arb(1) if last is None else _below(last)) - (flint.arb(0) if first is None else _below(first))
