"""AM-RATE (b), (c): expectations of ssADMM under Gaussian noise that are known exactly, against Theorem 4.2 of DISS.

The bound is the last display with the distance of the proof (:mod:`reference_impls.papers.diss.lemmas.admm.rate`), for
eta^k = eta_0 / sqrt(k): of the order 1 / sqrt(T). C is the largest root mean square of a gradient on the way, d_X that
of a distance to the optimum (or `diameter`, if more): what the proof needs of them.

*quadratic*: f = L (x - a)^2 / 2, no regulariser. z = x, y = 0, and x is an autoregression with known moments.

*pinned*: no record has a gradient, and lambda is some multiple of sigma. As long as |y| <= lambda the threshold holds z
at 0, and (x, y) is a linear recursion driven by the noise:

    x' = (x - eta y - eta gamma) / (1 + eta rho),   y' = y + rho x'.

In balance y has the variance sigma^2 / 2, so lambda of four sigma hold z for very long, and **x has eta sigma^2 / (2
rho)**: with eta ~ 1 / sqrt(T) the returned x^T is T^(-1/4) away from its optimum 0, and so is lambda |x^T|. Averages
are as promised, since x^1 + .. + x^T = y^T / rho. The theorem is about averages; line 11 of Algorithm 4.1 returns x^T.

Rigour: E |x^T| of the recursion is exact; the run is the recursion unless some |y^k| passes lambda, which has
probability at most P = sum of P(|y^k| > lambda), and then E |x^T| >= E |X| - sqrt(E X^2 P) by Cauchy and Schwarz. So
the truth is a lower bound, 0 where lambda is too small for that: nothing is said there.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import flint
import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between, NonNegative, OneOf, Positive
from dpverify.laws.balls import PRECISION, working_precision
from reference_impls.papers.enclosures import quotient

Float = NDArray[np.float64]
Number = Any  # a float or an arb
ROUNDING = 1e-9
"""Of the recursions in doubles, relative."""
OUTPUTS = ("last", "average")


@dataclass(frozen=True, kw_only=True)
class NoisyRun(Checked, ABC):
    """What the two families share. `iterations` is T, rounded; the others as in the module.

    Attributes
    ----------
    eta, rho, sigma, diameter : float
        eta_0, penalty, noise, the least d_X; > 0.
    iterations : float
        From 1 to 100000.
    """

    eta: Positive = 1.0
    rho: Positive = 0.25
    sigma: Positive = 0.01
    diameter: Positive = 1.0
    iterations: Annotated[float, Between(1, 1e5)] = 2210.0

    @property
    def t(self) -> int:
        """T, rounded to a whole number."""
        return max(round(self.iterations), 1)

    @property
    def steps(self) -> Float:
        """eta^1 .. eta^T: doubles, and exact as such."""
        return np.asarray(self.eta / np.sqrt(np.arange(1.0, self.t + 1.0)))

    @abstractmethod
    def sides(self, number: Any, steps: Any) -> tuple[Number, Number]:
        """The gap and its bound, with `number` (float or flint.arb) around every constant and in `steps`."""

    def bound(self, steps: Any, rho: Number, *, squared: Number, farthest: Number, rest: Number) -> Number:
        """The last display: C^2 + sigma^2, the largest E |x - x*|^2, and the terms without eta."""
        least = self.diameter * self.diameter
        far = farthest if farthest > least else farthest * 0 + least
        return (squared * sum(steps) / 2 + far / (2 * steps[-1]) + rest) / self.t

    def printed(self) -> Enclosed:
        """The bound as printed."""
        return Enclosed(value=float(self.sides(float, self.steps)[1]))

    def truth(self) -> Enclosed:
        """The gap that the bound is about."""
        value = max(float(self.sides(float, self.steps)[0]), 0.0)
        return Enclosed(value=value, error=ROUNDING * value)

    def proved_ratio(self) -> Enclosed | None:
        """Both in balls, with room for what the recursion blows their radii up by."""
        growth = 6.0 * float(np.minimum(np.sqrt(self.steps * self.rho), 1.0).sum())
        with working_precision(PRECISION + round(growth)):
            return quotient(*self.sides(flint.arb, [flint.arb(eta) for eta in self.steps.tolist()]))


@dataclass(frozen=True, kw_only=True)
class Quadratic(NoisyRun):
    """Subject ``admm-rate-quadratic``: the mean of x^0 .. x^(T-1) on L (x - a)^2 / 2.

    Attributes
    ----------
    curvature, optimum : float
        L > 0, and a.
    """

    curvature: Positive = 1.0
    optimum: float = 1.0

    def sides(self, number: Any, steps: Any) -> tuple[Number, Number]:
        """The moments are followed step by step."""
        curvature, rho, variance = number(self.curvature), number(self.rho), number(self.sigma) * number(self.sigma)
        follow = _autoregression_fast if number is float else autoregression
        mean, spread, farthest = follow(steps, rho, variance, curvature, -number(self.optimum))
        gap = curvature * (mean * mean + spread) / (2 * self.t * self.t)
        squared = curvature * curvature * farthest + variance
        rest = rho * number(self.optimum) * number(self.optimum) / 2
        return gap, self.bound(steps, rho, squared=squared, farthest=farthest, rest=rest)


@dataclass(frozen=True, kw_only=True)
class Pinned(NoisyRun):
    """Subject ``admm-rate-pinned``: lambda E |x| of what is returned, under the bound with beta = lambda.

    Attributes
    ----------
    output : "last" or "average"
        x^T, or the mean of x^0 .. x^(T-1), whose bound has lambda E |x^T - x^0| / T besides.
    l1 : float
        lambda, >= 0.
    """

    output: Annotated[str, OneOf(OUTPUTS)] = "last"
    l1: NonNegative = 0.0001

    def sides(self, number: Any, steps: Any) -> tuple[Number, Number]:
        """The covariance of (x, y) is followed step by step."""
        rho, variance, l1 = number(self.rho), number(self.sigma) * number(self.sigma), number(self.l1)
        root: Callable[[Number], Number] = flint.arb.sqrt if number is flint.arb else math.sqrt
        x, before, widest, farthest = (_pinned_fast if number is float else pinned)(steps, rho, variance)
        last = self.output == "last"
        least = self._least_mean(number, widest)
        gap = l1 * least * (root(x) if last else root(before) / (rho * self.t))
        bound = self.bound(steps, rho, squared=variance, farthest=farthest, rest=l1 * l1 / (2 * rho))
        return gap, bound if last else bound + l1 * root(x) / self.t

    def _least_mean(self, number: Any, widest: Number) -> Number:
        """sqrt(2 / pi) - sqrt(P): E |X| for variance 1, less what a run that leaves the recursion may take away."""
        if number is flint.arb:
            exits = self.t * (number(self.l1) / (2 * widest).sqrt()).erfc()
            return (2 / flint.arb.pi()).sqrt() - exits.min(flint.arb(1)).sqrt()
        exits = self.t * math.erfc(self.l1 / math.sqrt(2 * widest))
        return math.sqrt(2 / math.pi) - math.sqrt(min(exits, 1.0))

    def describe(self) -> dict[str, Any]:
        """Gaps at T and at 4 T, and the slope of their logarithms: -1/2 is what the theorem promises."""
        here, later = (type(self)(**{**vars(self), "iterations": min(n, 1e5)}) for n in (self.t, 4 * self.t))
        gaps = [each.truth().value for each in (here, later)]
        slope = math.log(gaps[1] / gaps[0]) / math.log(later.t / here.t) if min(gaps) > 0 < later.t - here.t else None
        return {"gap": gaps[0], "iterations": here.t, "later": gaps[1], "later_iterations": later.t, "slope": slope}


def autoregression(
    steps: Any, rho: Number, variance: Number, curvature: Number, start: Number
) -> tuple[Number, Number, Number]:
    """Mean and variance of the sum of x^0 - a .. x^(T-1) - a from `start`, and the largest E |x^k - a|^2 among them."""
    mean, spread = start, start * 0
    total, wide, crossed, largest = start * 0, start * 0, start * 0, start * start
    for eta in steps:
        far = mean * mean + spread
        if far > largest:
            largest = far
        total = total + mean
        wide = wide + 2 * crossed + spread
        crossed = crossed + spread
        step = eta / (1 + eta * rho)
        left = 1 - step * curvature
        mean, spread, crossed = left * mean, left * left * spread + step * step * variance, left * crossed
    return total, wide, largest


def pinned(steps: Any, rho: Number, variance: Number) -> tuple[Number, Number, Number, Number]:
    """With z held at 0: Var x^T, Var y^(T-1), the largest Var y^k and the largest Var x^k."""
    x, both, y = rho * 0, rho * 0, rho * 0
    before, widest, farthest = rho * 0, rho * 0, rho * 0
    for eta in steps:
        before = y
        shrink = 1 / (1 + eta * rho)
        crossed = shrink * (both - eta * y)  # of the new x and the old y
        x = shrink * shrink * (x - 2 * eta * both + eta * eta * (y + variance))
        both = crossed + rho * x
        y = y + 2 * rho * crossed + rho * rho * x
        if y > widest:
            widest = y
        if x > farthest:
            farthest = x
    return x, before, widest, farthest


_autoregression_fast: Callable[..., tuple[float, float, float]] = njit(cache=True, nogil=True)(autoregression)
_pinned_fast: Callable[..., tuple[float, float, float, float]] = njit(cache=True, nogil=True)(pinned)
