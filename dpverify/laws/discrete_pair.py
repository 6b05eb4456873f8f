"""Two laws on a finite set of outcomes: every divergence between them, in log space.

Results it rests on: the hockey-stick divergence is reached by the event {p > e^epsilon q}; hence epsilon(delta) is the
largest log((P(S) - delta) / Q(S)) over the sets S of outcomes with the greatest ratios p/q, and the trade-off curve
is the piecewise linear curve through those sets (Neyman-Pearson lemma). Renyi divergence and its order-1 (KL) and
infinite limits: van Erven and Harremoes 2014, Theorems 5 and 6.

Assumptions: outcome i of one law is outcome i of the other; log-probabilities are right up to `error`; -inf means
"impossible", exactly. Every number carries an error bound that follows from `error` and from rounding; it is a float
computation all the same, so `proved` is False. :meth:`DiscretePair.enclosure` repeats it in ball arithmetic.
Not to be confused with a histogram estimate: nothing here is sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import flint
import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Float
from dpverify.laws import finite_proof

Balls = Sequence[flint.arb]

_UNIT = 2.0**-53
_SUM_UNITS = 32  # numpy sums pairwise: at most 16 + log2(k / 128) units of relative error
_LINEAR_RANGE = -700.0  # exp of anything above is a normal double
_EXPM1_RANGE = 300.0  # expm1 of anything below is far from overflow
_MASS_TOLERANCE = 1e-8


def checked_logs(log_probabilities: ArrayLike, error: float) -> Float:
    """A frozen copy, shape (k,), after the checks that both classes share."""
    values = np.array(log_probabilities, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise InputError(f"log-probabilities of shape {values.shape}", allowed="shape (k,), k >= 1")
    if not error >= 0 or math.isinf(error):
        raise InputError(f"error {error}", allowed="a finite number >= 0")
    top = float(values.max())
    if math.isnan(top) or top > _MASS_TOLERANCE + error:
        raise InputError(
            f"log-probability {top}", allowed="numbers <= 0, or -inf", remedy="pass logs, not probabilities"
        )
    mass = float(np.exp(values).sum())
    if abs(mass - 1) > _MASS_TOLERANCE + math.expm1(min(error, 1.0)):
        raise InputError(f"probabilities that sum to {mass!r}", allowed="1, up to 1e-8 and the stated error")
    values.flags.writeable = False
    return values


def safe_log(values: Float) -> Float:
    """Logarithm with log 0 = -inf and without a warning; values below 0 count as 0."""
    return np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)


def _log_cumulative(logs: Float) -> Float:
    """Logs of the cumulative sums of exp(logs)."""
    finite = logs[logs > -np.inf]
    if finite.size and float(finite.min()) < _LINEAR_RANGE:
        return np.logaddexp.accumulate(logs)
    return safe_log(np.cumsum(np.exp(logs)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscretePair:
    """Two laws (P, Q) on outcomes 0..k-1, compared exactly. Divergences are of P from Q, in nats."""

    log_p: Float
    log_q: Float
    """`log_p`, `log_q`, shape (k,): log-probabilities; -inf means exactly impossible."""
    error: float = 0.0
    """Bound on the absolute error of each log-probability of either law."""
    enclose: Callable[[], tuple[Balls, Balls]] | None = None
    """``enclose() -> (balls of P, balls of Q)`` at the working precision; without it nothing can be proved."""
    log_ratios: Callable[[], Sequence[flint.arb | None]] | None = None
    """``log_ratios() -> k balls`` around log(p_i / q_i), where they are known better than from `enclose` (None for an
    outcome impossible under both). Used for the largest ratio only."""
    _ratio: Float = field(init=False, repr=False)
    _slack: float = field(init=False, repr=False)
    _remembered: list[tuple[Float, Float, Float, float]] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        log_p, log_q = checked_logs(self.log_p, self.error), checked_logs(self.log_q, self.error)
        if log_p.shape != log_q.shape:
            raise InputError(f"laws on {log_p.size} and {log_q.size} outcomes", allowed="the same outcomes")
        least = min(float(log_p.min()), float(log_q.min()))
        if least == -math.inf:
            kept = (log_p > -np.inf) | (log_q > -np.inf)
            log_p, log_q = log_p[kept], log_q[kept]
            least = min(float(log[log > -np.inf].min()) for log in (log_p, log_q))
        ratio = log_p - log_q  # never inf - inf: such outcomes are gone
        largest = -least
        object.__setattr__(self, "log_p", log_p)
        object.__setattr__(self, "log_q", log_q)
        object.__setattr__(self, "_ratio", ratio)
        # Rounding of log p - log q, of its multiples and of exp, read as errors of the log-probabilities themselves.
        object.__setattr__(self, "_slack", self.error + _UNIT * (5 * largest + _SUM_UNITS))

    def swap(self) -> DiscretePair:
        """The pair (Q, P)."""
        enclose, log_ratios = self.enclose, self.log_ratios
        return DiscretePair(
            log_p=self.log_q,
            log_q=self.log_p,
            error=self.error,
            enclose=None if enclose is None else lambda: enclose()[::-1],
            log_ratios=None if log_ratios is None else lambda: [None if r is None else -r for r in log_ratios()],
        )

    def _sorted(self) -> tuple[Float, Float]:
        """(log p, log q) by falling likelihood ratio."""
        order = np.argsort(-self._ratio, kind="stable")
        return self.log_p[order], self.log_q[order]

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon >= 0 with P(S) <= e^epsilon Q(S) + delta for every S; +inf when no epsilon does.

        The error covers both sides: perturbing every probability by its relative error moves the value no further.
        """
        if not 0 <= delta <= 1:
            raise InputError(f"delta {delta}", allowed="a number in [0, 1]")
        if delta == 0:
            return self._largest_ratio()
        log_p, log_q = self._sorted()
        slack = self._slack + _UNIT * log_p.size  # cumulative sums are not pairwise
        mass, log_base = np.cumsum(np.exp(log_p)), _log_cumulative(log_q)

        def solve(change: float) -> float:
            log_mass = safe_log(mass * math.exp(change) - delta)
            some = log_mass > -np.inf
            return max(0.0, float(np.max(log_mass[some] - log_base[some], initial=0.0)) + change)

        lower, value, upper = solve(-slack), solve(0.0), solve(slack)
        if math.isinf(lower):
            return Enclosed(value=math.inf)
        if math.isinf(value):  # an impossible outcome whose mass is delta up to rounding: finite or not, who knows
            return Enclosed(value=lower, error=math.inf)
        return Enclosed(value=value, error=max(upper - value, value - lower))

    def _largest_ratio(self) -> Enclosed:
        value = float(np.max(self._ratio))
        return Enclosed(value=value) if math.isinf(value) else Enclosed(value=max(value, 0.0), error=2 * self._slack)

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence sup_S P(S) - e^epsilon Q(S), for any real (or infinite) epsilon.

        The error covers both sides.
        """
        if math.isnan(epsilon):
            raise InputError("epsilon nan", allowed="a number")
        # Outcomes that the errors might bring over the threshold still count in the error bound.
        near = self._ratio > epsilon - 2 * self._slack if math.isfinite(epsilon) else self._ratio >= epsilon
        if not near.any():
            return Enclosed(value=0.0)
        probabilities = np.exp(self.log_p[near])
        lost = np.minimum(epsilon - self._ratio[near], 0.0) if math.isfinite(epsilon) else -np.inf
        value = float(np.sum(probabilities * -np.expm1(lost)))
        error = 2 * math.expm1(2 * self._slack) * float(np.sum(probabilities))
        return Enclosed(value=min(value, 1.0), error=error)

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of `order` in [1, inf] (1: Kullback-Leibler); +inf when P charges what Q does not.

        The error covers both sides.
        """
        if not order >= 1:
            raise InputError(f"order {order}", allowed="a number in [1, inf]")
        log_p, ratio, probabilities, largest = self._charged()
        if math.isinf(order) or math.isinf(largest):
            return self._largest_ratio()
        slack, excess = self._slack, order - 1.0
        if excess == 0:
            value = float((probabilities * ratio).sum())
            return _nonnegative(value, slack * float((probabilities * np.abs(ratio)).sum()) + 2 * math.expm1(slack))
        if excess * largest < _EXPM1_RANGE:
            # log(1 + sum p (e^((order-1) ratio) - 1)): no cancellation for orders near 1 or laws near each other.
            growth = np.expm1(excess * ratio)
            total = float((probabilities * growth).sum())
            change = math.expm1(slack) * float((probabilities * np.abs(growth)).sum())
            if total - change > -0.5:
                return _nonnegative(math.log1p(total) / excess, 2 * change / ((1 + total) * excess) + 2 * slack)
        exponents = log_p + excess * ratio
        peak = float(exponents.max())
        value = (peak + math.log(float(np.exp(exponents - peak).sum()))) / excess
        return _nonnegative(value, (2 * order - 1) / excess * slack)

    def _charged(self) -> tuple[Float, Float, Float, float]:
        """Of the outcomes that P charges: log p, log(p / q), p, and the largest log(p / q). The same for all orders."""
        if not self._remembered:
            possible = self.log_p > -np.inf
            log_p, ratio = self.log_p[possible], self._ratio[possible]
            self._remembered.append((log_p, ratio, np.exp(log_p), float(ratio.max())))
        return self._remembered[0]

    def _curve(self) -> tuple[Float, Float]:
        """Vertices of the trade-off curve, false-positive rates rising and false-negative rates falling."""
        log_p, log_q = self._sorted()
        p, q = np.exp(log_p), np.exp(log_q)
        certain = int(np.count_nonzero(log_q == -np.inf))  # they come first: rejecting there costs nothing
        alphas = np.concatenate(([0.0], np.cumsum(q[certain:])))
        betas = np.concatenate((np.cumsum(p[certain:][::-1])[::-1], [0.0]))  # summed from the small end
        return np.minimum(alphas, 1.0), np.minimum(betas, 1.0)

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """Least false-negative rate of any test of "Q" against "P" at false-positive rate alpha (under Q).

        The exact lower envelope up to rounding and `error`; shape of `alpha`, values in [0, 1].
        """
        rates = np.asarray(alpha, dtype=np.float64)
        if not np.all((rates >= 0) & (rates <= 1)):
            raise InputError("a false-positive rate outside [0, 1]", allowed="numbers in [0, 1]")
        alphas, betas = self._curve()
        left = np.clip(np.searchsorted(alphas, rates, side="right") - 1, 0, alphas.size - 1)
        right = np.minimum(left + 1, alphas.size - 1)
        width = alphas[right] - alphas[left]
        share = np.divide(rates - alphas[left], width, out=np.zeros_like(width), where=width > 0)
        found = betas[left] + np.minimum(share, 1.0) * (betas[right] - betas[left])
        # At exactly 0 only what Q cannot produce is rejected, however small the next mass (it may underflow).
        return np.asarray(np.where(rates == 0, betas[0], found), dtype=np.float64)

    def mu(self) -> Enclosed:
        """Smallest mu such that the pair is mu-GDP in this direction: its trade-off curve lies above G_mu.

        A line minus a convex curve is concave, so the vertices of the curve decide. +inf when the supports differ.
        The error is the effect of `error` at the vertices; it covers both sides.
        """
        alphas, betas = self._curve()
        if not np.all(np.isfinite(self._ratio)):
            return Enclosed(value=math.inf)
        inner = (alphas > 0) & (alphas < 1) & (betas > 0) & (betas < 1)
        a, b = alphas[inner], betas[inner]
        if a.size == 0:
            return Enclosed(value=0.0)
        change = math.expm1(self._slack + _UNIT * alphas.size)
        middle = -ndtri(a) - ndtri(b)
        best = int(np.argmax(middle))
        value = max(0.0, float(middle[best]))
        high = float(np.max(-ndtri(a * (1 - change)) - ndtri(b * (1 - change))))
        low = float(np.sum(-ndtri(np.minimum(np.array([a[best], b[best]]) * (1 + change), 1.0))))
        error = max(high - value, value - max(0.0, low))
        return Enclosed(value=value, error=error + _SUM_UNITS * _UNIT * (1 + value))

    def prove(self, measure: Measure) -> Enclosed | None:
        """`enclosure`, whose lower end is proved too."""
        return self.enclosure(measure)

    def enclosure(self, measure: Measure) -> Enclosed | None:
        """The measure in ball arithmetic; None without `enclose`, for ``mu``, or where the balls are too wide."""
        if self.enclose is None or measure.kind in ("mu", "sensitivity"):
            return None
        if measure.kind == "delta":
            return finite_proof.delta(self.enclose, measure.argument, self.log_ratios)
        if measure.kind == "renyi" and not measure.argument >= 1:
            return None
        if measure.kind == "renyi" and not math.isinf(measure.argument):
            return finite_proof.renyi(self.enclose, measure.argument)
        if measure.kind == "renyi" or measure.argument == 0:
            return finite_proof.largest_ratio(self.enclose, self.log_ratios)
        return finite_proof.epsilon(self.enclose, measure.argument, near=self.epsilon(measure.argument).value)


def _nonnegative(value: float, error: float) -> Enclosed:
    """A divergence is never below 0; cutting off rounding there leaves the error bound true."""
    return Enclosed(value=max(value, 0.0), error=error)
