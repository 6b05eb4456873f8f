"""A Bayesian credible interval of epsilon from one confusion matrix: an estimate with a spread, not a bound.

Result: Zanella-Beguelin et al., arXiv 2206.05199. With Jeffreys priors the error rates are independent,
FNR ~ Beta(1/2 + FN, 1/2 + TP) and FPR ~ Beta(1/2 + FP, 1/2 + TN). Epsilon's distribution function is the posterior
probability that (FPR, FNR) lies where (epsilon, delta) privacy allows it, in both directions:

    F(epsilon) = integral over FNR of P[low(FNR) <= FPR <= high(FNR)],

one integral, taken over the quantiles of FNR, which removes the singularities of its density (milliseconds, where the
double integral of the paper's code took minutes). F(0) may be positive: the interval then starts at 0.

Assumptions: one attack with a threshold chosen before the counts; a prior. Limits: *credible, not confidence*: the
interval has no guaranteed coverage, so no verdict uses it. It is an interval for the epsilon of this attack, not of the
mechanism. Lower confidence bounds are in `dpverify.stats.epsilon`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy import optimize, special

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import BelowOne, Between
from dpverify.shown.mixin import Displayed
from dpverify.shown.view import Chart, PlotSeries, View
from dpverify.stats.rounding import FloatArray

LARGEST_COUNT = 10**10
LARGEST_EPSILON = 60.0
_ENDS = np.geomspace(1e-9, 0.02, 18)
_EDGES = np.concatenate([[0.0], _ENDS, np.linspace(0.02, 0.98, 65)[1:-1], 1.0 - _ENDS[::-1], [1.0]])
_STEPS = np.geomspace(1e-6, 0.9, 24)
_NODES, _WEIGHTS = leggauss(6)
_PLACES = 129

_Cell = Annotated[int, Between(0, LARGEST_COUNT)]


@dataclass(frozen=True, kw_only=True)
class EpsilonPosterior(Displayed, Checked):
    """The posterior of epsilon at one delta, given a confusion matrix.

    Attributes
    ----------
    tp, fn : int
        Members that the attack called members, and those that it missed.
    fp, tn : int
        Non-members that the attack called members, and those that it did not.
    delta : float
        In [0, 1).

    Raises
    ------
    InputError
        For anything but counts with at least one member and one non-member, or a delta outside [0, 1).
    """

    tp: _Cell
    fn: _Cell
    fp: _Cell
    tn: _Cell
    delta: BelowOne = 0.0

    def validate(self) -> None:
        """Check that there are members and non-members."""
        if self.tp + self.fn < 1 or self.fp + self.tn < 1:
            raise InputError(
                f"a confusion matrix TP {self.tp}, FN {self.fn}, FP {self.fp}, TN {self.tn}",
                allowed="counts, with at least one member and one other",
            )

    def view(self) -> View:
        """What there is to show: the distribution function, and the shortest credible interval."""
        low, high = self.shortest()
        places = np.linspace(0.0, max(1.5 * high, 0.1), 41)
        values = [self.distribution(float(at)) for at in places]
        curve = PlotSeries(label="posterior", x=places.tolist(), y=values)
        return View(
            title=f"posterior of epsilon at delta = {self.delta:g}",
            facts=[
                ("counts", f"TP {self.tp}, FN {self.fn}, FP {self.fp}, TN {self.tn}"),
                ("interval", f"{low:.4g} to {high:.4g} has probability 0.9: credible, no confidence interval"),
            ],
            chart=Chart(x="epsilon", y="probability of at most this", series=[curve]),
        )

    def distribution(self, epsilon: float) -> float:
        """Posterior probability that epsilon (in nats) is at most the argument."""
        missed, caught = 0.5 + self.fn, 0.5 + self.tp
        corner = (1.0 - self.delta) * special.expit(-epsilon)  # where the two lines of the allowed region intersect
        bends = special.betainc(missed, caught, corner), special.betaincc(caught, missed, corner)
        return self._integral(
            epsilon, *self._rates(np.unique(np.clip(np.concatenate([_EDGES, *map(_around, bends)]), 0.0, 1.0)))
        )

    @cached_property
    def _rough(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self._rates(_EDGES)

    def _rates(self, edges: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Quantiles of FNR at the nodes between these edges, 1 less these, and the nodes' weights."""
        half = 0.5 * np.diff(edges)[:, None]
        places = (edges[:-1, None] + half * (1.0 + _NODES)).ravel()
        missed, caught = 0.5 + self.fn, 0.5 + self.tp
        fnr = special.betaincinv(missed, caught, places)
        tpr = special.betainccinv(caught, missed, places)
        return np.asarray(fnr), np.asarray(tpr), (half * _WEIGHTS).ravel()

    def _integral(self, epsilon: float, fnr: FloatArray, tpr: FloatArray, weights: FloatArray) -> float:
        slope, room = np.exp(epsilon), 1.0 - self.delta
        low = np.maximum(np.maximum(room - slope * fnr, (room - fnr) / slope), 0.0)
        left = np.maximum(np.maximum(room - slope * tpr, (room - tpr) / slope), 0.0)  # FPR <= 1 - left
        a, b = 0.5 + self.fp, 0.5 + self.tn
        inside = special.betaincc(b, a, np.minimum(left, 1.0)) - special.betainc(a, b, np.minimum(low, 1.0))
        return float(np.sum(weights * np.maximum(inside, 0.0)))

    def quantile(self, level: float) -> float:
        """Quantile of epsilon in nats, in [0, 60], to about 1e-5."""
        if not 0.0 < level < 1.0:
            raise InputError(f"level = {level}", allowed="(0, 1)")

        def excess(at: float) -> float:
            return self.distribution(at) - level

        if excess(0.0) >= 0.0:
            return 0.0
        if excess(LARGEST_EPSILON) < 0.0:
            return LARGEST_EPSILON
        rough = _root(lambda at: self._integral(at, *self._rough) - level, 0.0, LARGEST_EPSILON)
        low, high = max(rough - 0.05, 0.0), min(rough + 0.05, LARGEST_EPSILON)
        if excess(low) < 0.0 <= excess(high):
            return _root(excess, low, high)
        return _root(excess, 0.0, LARGEST_EPSILON)

    def interval(self, *, level: float = 0.9) -> tuple[float, float]:
        """The equal-tailed credible interval: not a confidence interval, and with delta = 0 it never contains 0."""
        return self.quantile(0.5 * (1.0 - level)), self.quantile(0.5 * (1.0 + level))

    def shortest(self, *, level: float = 0.9) -> tuple[float, float]:
        """The shortest credible interval; it starts at 0 where the counts show no difference.

        Not a confidence interval.

        Epsilon is at least 0, so an equal-tailed interval excludes 0 whatever the counts.
        """
        if not 0.0 < level < 1.0:
            raise InputError(f"level = {level}", allowed="(0, 1)")
        shares = np.linspace(0.0, 0.999 * (1.0 - level), _PLACES)  # below the interval; the last quantile is infinite
        places = np.linspace(0.0, self.quantile(float(shares[-1]) + level), _PLACES)
        rough = np.maximum.accumulate([self._integral(float(at), *self._rough) for at in places])
        lengths = np.interp(shares + level, rough, places) - np.where(shares > 0, np.interp(shares, rough, places), 0.0)
        below = float(shares[np.argmin(lengths)])
        return self.quantile(below) if below > 0.0 else 0.0, self.quantile(below + level)


def _around(place: float) -> FloatArray:
    """Integration edges that concentrate around a kink, on both sides."""
    return np.concatenate([place * (1.0 - _STEPS), [place], place + (1.0 - place) * _STEPS])


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """The sign change of a function; an end of the interval without one."""
    if function(low) >= 0.0:
        return low
    if function(high) <= 0.0:
        return high
    return float(optimize.brentq(function, low, high, xtol=1e-7))
