"""Probabilities of the stopping law in ball arithmetic (Arb, through python-flint): proved enclosures.

The probability of stopping at first..last is one integral, however long the range (the sum telescopes):

    integral of f(z) * product over i < first of F(z - a_i) * (1 - product over first <= i <= last of F(z - a_i)) dz.

Results it rests on: `acb.integral` (Johansson 2018: Petras's algorithm with complex balls and proved error bounds) on
a finite window, whose pieces end at the kinks of Laplace noise (and grow with the distance from them), so that every
integrand is an entire function. Outside it, monotone factors bound the tails: P(rho < z) * product of F(z - a_i) on the
left, P(rho > z) * (1 - product) on the right. One minus a product of powers is written as a sum of positive terms, so
nothing cancels, and n equal levels cost log(n), wherever they stand: thousands of levels of a few values are as quick
as a dozen.

The float law only decides where the window ends and how hard to try; a bad choice widens the ball and breaks no proof.
Laplace noise and a few hundred levels need no integral: `stopping_sum` has the probability in closed form. Limits: cost
grows with the number of *distinct* levels, squared for Laplace noise. Not to be confused with `stopping_quadrature`,
whose errors are estimates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import flint
import numpy as np
from scipy.special import log_ndtr, logsumexp

from dpverify.core.subjects import Float
from dpverify.laws.stopping_sum import MOST_LEVELS, Counted, laplace_probability

if TYPE_CHECKING:
    from dpverify.laws.stopping import StoppingLaw

Range: TypeAlias = tuple[int, int]  # first and last outcome, both included
Wide: TypeAlias = flint.acb
Integrand: TypeAlias = Callable[[flint.acb, bool], flint.acb]

_GOAL = -70  # bits, relative: a double has 53, and a ratio or a root loses a few
_TAIL = 50.0  # nats below the event's own probability at which the window ends
_HALVINGS = 60
_LONGEST = 32.0  # query scales: the length of a piece beside a level; those farther out double


def range_probability(law: StoppingLaw, outcomes: Range) -> flint.arb:
    """A ball that contains P(first <= outcome <= last), at the caller's working precision (``flint.ctx.prec``)."""
    first, last = outcomes
    if first == 0 and last == law.size:
        return flint.arb(1)
    if law.noise == "laplace" and last < MOST_LEVELS:
        return laplace_probability(law.threshold_scale, law.query_scale, *tallies(law, outcomes))
    return integrated(law, outcomes)


def tallies(law: StoppingLaw, outcomes: Range) -> tuple[list[Counted], list[Counted] | None]:
    """The levels before the range and those of it (None: it ends with "never"), each with how often it comes."""
    first, last = outcomes
    return _tally(law.levels[:first]), None if last == law.size else _tally(law.levels[first : last + 1])


def integrated(law: StoppingLaw, outcomes: Range) -> flint.arb:
    """As `range_probability`, by the integral, whatever the noise and however many levels."""
    first, last = outcomes
    before, stopping = tallies(law, outcomes)
    log_mass = float(logsumexp(law.log_probabilities()[first : last + 1]))
    event = _Event(law, before, stopping)
    low, high = event.window(log_mass - _TAIL)
    points = event.cuts(low, high)
    # Each piece may err by a share of the whole, not of itself.
    allowed = flint.arb(log_mass).exp() * flint.arb(2) ** _GOAL / (len(points) - 1)
    total = flint.arb(0)
    for start, end in pairwise(points):
        total += event.integral(start, end, allowed)
    return total + flint.arb(0).union(event.left_tail(low) + event.right_tail(high))


def _tally(levels: Float) -> list[Counted]:
    """Distinct levels and how often each comes: products do not care about the order."""
    values, counts = np.unique(levels, return_counts=True)
    return list(zip(values.tolist(), counts.tolist(), strict=True))


def _power(base: Wide, exponent: int) -> tuple[Wide, Wide]:
    """(base^n, 1 + base + ... + base^(n-1)) by doubling."""
    if exponent == 1:
        return base, flint.acb(1)
    power, total = flint.acb(1), flint.acb(0)
    for bit in bin(exponent)[2:]:
        total, power = total * (1 + power), power * power
        if bit == "1":
            total, power = total + power, power * base
    return power, total


class _Event:
    """Not stopping at the levels `before`, then stopping at one of the levels `stopping` (None: no more is asked)."""

    def __init__(self, law: StoppingLaw, before: list[Counted], stopping: list[Counted] | None) -> None:
        self.gaussian = law.noise == "gaussian"
        self.scales = (law.threshold_scale, law.query_scale)
        self.threshold_scale, self.query_scale = flint.arb(law.threshold_scale), flint.arb(law.query_scale)
        self.before, self.stopping = before, stopping
        # erfc takes its argument over the square root of 2
        self.unit = self.query_scale * flint.arb(2).sqrt() if self.gaussian else self.query_scale
        self.places = {level: flint.arb(level) / self.unit for level, _ in [*before, *(stopping or [])]}

    def cuts(self, low: float, high: float) -> list[float]:
        """Where pieces end, in increasing order: at the window's ends and, for Laplace noise, at the kinks and beyond.

        A piece much longer than the queries' noise is taken apart, finest beside its ends: on a ball as wide as the
        whole of it, an exponential that changes within one scale is enclosed by nothing useful.
        """
        if self.gaussian:
            return [low, high]
        kinks = {0.0} | {level for level, _ in self.before} | {level for level, _ in self.stopping or []}
        ends = [low, *sorted(point for point in kinks if low < point < high), high]
        found = {*ends}
        for start, end in pairwise(ends):
            length = reach = _LONGEST * self.scales[1]
            while 2 * reach < end - start:
                found |= {start + reach, end - reach}
                length *= 2.0
                reach += length
        return sorted(found)

    def window(self, target: float) -> tuple[float, float]:
        """Where the logs of the two tail bounds, as floats, fall to `target`."""
        before, stopping = _arrays(self.before), _arrays(self.stopping or [])

        def left(z: float) -> float:
            return self._log_below(z / self.scales[0]) + self._log_product(z, before)

        def right(z: float) -> float:
            tail = self._log_below(-z / self.scales[0])
            if self.stopping is None:
                return tail
            product = self._log_product(z, stopping)
            if product < -1e-8:
                return tail + math.log(-math.expm1(product))
            logs = [self._log_below((level - z) / self.scales[1]) + math.log(count) for level, count in self.stopping]
            return tail + float(logsumexp(logs))

        return _crossing(left, target, -self.scales[0]), _crossing(right, target, self.scales[0])

    def left_tail(self, z: float) -> flint.arb:
        """An upper bound on the integral over (-inf, z)."""
        bound = self._below(self._threshold(z))[0]
        for level, count in self.before:
            bound *= _power(self._below((flint.acb(z) - level) / self.unit)[0], count)[0]
        return bound.real.upper()

    def right_tail(self, z: float) -> flint.arb:
        """An upper bound on the integral over (z, inf)."""
        bound = self._below(self._threshold(z))[1]
        if self.stopping is not None:
            bound *= self._stops([self._below((flint.acb(z) - level) / self.unit) for level, _ in self.stopping])
        return bound.real.upper()

    def _threshold(self, z: float) -> Wide:
        """`z` in units of the threshold's noise, as `_below` takes it."""
        return flint.acb(z) / self.threshold_scale * self.query_scale / self.unit

    def integral(self, low: float, high: float, allowed: flint.arb) -> flint.arb:
        """A ball around the integral over (low, high), which holds no kink; `allowed` is the absolute goal."""
        integrand = self._normal if self.gaussian else self._laplace(low, high)
        found = flint.acb.integral(integrand, low, high, rel_tol=flint.arb(2) ** _GOAL, abs_tol=allowed)
        return found.real

    def _stops(self, factors: list[tuple[Wide, Wide]]) -> Wide:
        """1 - product of F^n over the levels in `stopping`, given (F, 1 - F) of each: a sum of positive terms."""
        total, product = flint.acb(0), flint.acb(1)
        for (below, above), (_, count) in zip(factors, self.stopping or [], strict=True):
            power, series = _power(below, count)
            total += product * above * series
            product *= power
        return total

    def _normal(self, z: Wide, _analytic: bool) -> Wide:
        value = (-((z / self.threshold_scale) ** 2) / 2).exp()
        value /= self.threshold_scale * (2 * flint.arb.pi()).sqrt()
        place = z / self.unit
        for level, count in self.before:
            value *= _power(self._below(place - self.places[level])[0], count)[0]
        if self.stopping is not None:
            value *= self._stops([self._below(place - self.places[level]) for level, _ in self.stopping])
        return value

    def _laplace(self, low: float, high: float) -> Integrand:
        """The integrand between two kinks: every factor is an exponential, or one minus an exponential."""
        sign = 1 if high <= 0 else -1
        density = 1 / (2 * self.threshold_scale)

        def constants(runs: list[Counted]) -> list[tuple[bool, flint.arb, int]]:
            halves = []
            for level, count in runs:
                above = low >= level
                distance = (flint.arb(level) - low if above else flint.arb(low) - level) / self.query_scale
                halves.append((above, distance.exp() / 2, count))
            return halves

        before, stopping = constants(self.before), constants(self.stopping or [])
        sides = {above for above, _, _ in [*before, *stopping]}

        def integrand(z: Wide, _analytic: bool) -> Wide:
            distance = (z - low) / self.query_scale
            # Neither from the other: a wide ball around an exponential contains 0. Beyond every level growth explodes.
            growth = distance.exp() if False in sides else flint.acb(0)
            decay = (-distance).exp() if True in sides else flint.acb(0)

            def factor(above: bool, half: flint.arb) -> tuple[Wide, Wide]:
                small = half * (decay if above else growth)
                return (1 - small, small) if above else (small, 1 - small)

            value = (sign * z / self.threshold_scale).exp() * density
            for above, half, count in before:
                value *= _power(factor(above, half)[0], count)[0]
            if self.stopping is not None:
                value *= self._stops([factor(above, half) for above, half, _ in stopping])
            return value

        return integrand

    def _below(self, x: Wide) -> tuple[Wide, Wide]:
        """(F, 1 - F) at `x`, in units of `self.unit`; Laplace noise for real x only."""
        positive = x.real.mid() >= 0
        outward = x if positive else -x
        small = (outward.erfc() if self.gaussian else (-outward).exp()) / 2
        return (1 - small, small) if positive else (small, 1 - small)

    def _log_below(self, x: float) -> float:
        if self.gaussian:
            return float(log_ndtr(x))
        return math.log1p(-0.5 * math.exp(-x)) if x >= 0 else x - math.log(2.0)

    def _log_product(self, z: float, runs: tuple[Float, Float]) -> float:
        levels, counts = runs
        x = (z - levels) / self.scales[1]
        if self.gaussian:
            logs = log_ndtr(x)
        else:
            logs = np.where(x >= 0, np.log1p(-0.5 * np.exp(-np.maximum(x, 0.0))), x - math.log(2.0))
        return float(np.sum(counts * logs))


def _arrays(runs: list[Counted]) -> tuple[Float, Float]:
    return np.array([level for level, _ in runs]), np.array([float(count) for _, count in runs])


def _crossing(function: Callable[[float], float], target: float, step: float) -> float:
    """A z where the monotone `function`, which falls in the direction of `step`, is just below `target`."""
    reach = step
    while function(reach) > target:
        reach *= 2.0
    inner = reach
    stride = step
    while function(inner) <= target:
        inner -= stride
        stride *= 2.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (reach + inner)
        if function(middle) > target:
            inner = middle
        else:
            reach = middle
        if abs(reach - inner) < 1e-3 * abs(step):
            break
    return reach
