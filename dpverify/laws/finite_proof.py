"""Divergences between two finite laws in ball arithmetic: the same formulas as `discrete`, with proved enclosures.

Results it rests on: Arb's inclusion property (every ball contains the truth), and, for epsilon(delta), that the
hockey-stick divergence falls in epsilon, so that one evaluation on each side of a guess encloses the root. No ordering
of the outcomes is needed anywhere. Limits: the caller's hook must return balls that do contain the probabilities; a
ball that merely touches 0 proves nothing about ratios, and the answer is then None. The precision belongs to the whole
process (flint.ctx): a thread that changes it meanwhile costs sharpness, never soundness. Not to be confused with
interval evaluation of the float code, which would lose everything to cancellation.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import flint

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.laws.balls import at_working_precision, enclosed_ball, exact_ball
from dpverify.laws.epsilon_at_delta import proved_epsilon

Balls = Sequence[flint.arb]
Law = Callable[[], Balls]
Laws = Callable[[], tuple[Balls, Balls]]
LogRatios = Callable[[], Sequence[flint.arb | None]]


@at_working_precision
def float_logs(enclose: Law) -> tuple[list[float], float]:
    """Log-probabilities in doubles and a bound on their absolute error, from a hook that encloses the probabilities."""
    logs, error = [], 0.0
    for ball in enclose():
        if ball.is_zero():
            logs.append(-math.inf)
            continue
        log = enclosed_ball(ball.log())
        if log is None:
            raise InputError(
                f"probability {ball}", allowed="a ball above 0, or exactly 0", remedy="narrow the enclosure"
            )
        # A ball around 1 may have a logarithm a hair above 0.
        logs.append(min(log.value, 0.0))
        error = max(error, log.error + max(log.value, 0.0))
    return logs, error


def normalised(log_weights: Sequence[Fraction | None]) -> Balls:
    """Balls around exp(log_weights) / their sum, at the working precision."""
    top = max(weight for weight in log_weights if weight is not None)
    weights = [flint.arb(0) if w is None else exact_ball(w - top).exp() for w in log_weights]
    total = sum(weights, flint.arb(0))
    return [weight / total for weight in weights]


def paired(p: Law | None, q: Law | None) -> Laws | None:
    """Both hooks as one; None unless both exist."""
    if p is None or q is None:
        return None
    first, second = p, q
    return lambda: (first(), second())


def exact_ratios(p: Sequence[Fraction | None] | None, q: Sequence[Fraction | None] | None) -> LogRatios | None:
    """Exact log-ratios of two laws given by log-weights; None unless their normalisers are equal by symmetry.

    That holds when the weights are the same up to order, as for randomised response: log(p_i / q_i) is then rational.
    """
    if p is None or q is None:
        return None
    first, second = p, q
    if sorted(w for w in first if w is not None) != sorted(w for w in second if w is not None):
        return None

    def ratios() -> Sequence[flint.arb | None]:
        return [_ratio_of_weights(a, b) for a, b in zip(first, second, strict=True)]

    return ratios


def _ratio_of_weights(p: Fraction | None, q: Fraction | None) -> flint.arb | None:
    if p is None:
        return None if q is None else flint.arb.neg_inf()
    return flint.arb.pos_inf() if q is None else exact_ball(p - q)


@at_working_precision
def largest_ratio(enclose: Laws, log_ratios: LogRatios | None = None) -> Enclosed | None:
    """The largest log(p_i / q_i), at least 0; +inf, proved, when some q_i is exactly 0 and p_i is not."""
    if log_ratios is not None:
        ratios = [ratio for ratio in log_ratios() if ratio is not None]
        if any(ratio > 0 and not ratio.is_finite() for ratio in ratios):
            return Enclosed(value=math.inf, proved=True)
        return enclosed_ball(_largest([ratio for ratio in ratios if ratio.is_finite()]))
    p, q = enclose()
    if any(b.is_zero() and a > 0 for a, b in zip(p, q, strict=True)):
        return Enclosed(value=math.inf, proved=True)
    return enclosed_ball(_largest([(a / b).log() for a, b in zip(p, q, strict=True) if not a.is_zero()]))


def _largest(balls: Balls) -> flint.arb:
    return functools.reduce(lambda a, b: a.max(b), balls, flint.arb(0))


def _hockey_stick(p: Balls, q: Balls, epsilon: flint.arb) -> flint.arb:
    factor, zero = epsilon.exp(), flint.arb(0)
    return sum(((a - factor * b).max(zero) for a, b in zip(p, q, strict=True)), zero)


@at_working_precision
def delta(enclose: Laws, epsilon: float, log_ratios: LogRatios | None = None) -> Enclosed | None:
    """The hockey-stick divergence at `epsilon`; exactly 0 when the exact ratios say so."""
    if log_ratios is not None and all(ratio is None or ratio <= epsilon for ratio in log_ratios()):
        return Enclosed(value=0.0, proved=True)
    p, q = enclose()
    return enclosed_ball(_hockey_stick(p, q, flint.arb(epsilon)))


@at_working_precision
def epsilon(enclose: Laws, delta: float, *, near: float) -> Enclosed | None:
    """The smallest epsilon >= 0 at `delta`, enclosed around the guess `near`."""
    p, q = enclose()
    allowed = flint.arb(delta)
    beyond = sum((a for a, b in zip(p, q, strict=True) if b.is_zero()), flint.arb(0))
    if beyond > allowed:
        return Enclosed(value=math.inf, proved=True)
    return proved_epsilon(lambda at: _hockey_stick(p, q, at), delta, near=near)


@at_working_precision
def renyi(enclose: Laws, order: float) -> Enclosed | None:
    """Renyi divergence of a finite order >= 1 (1: Kullback-Leibler)."""
    p, q = enclose()
    pairs = [(a, b) for a, b in zip(p, q, strict=True) if not a.is_zero()]
    if any(b.is_zero() and a > 0 for a, b in pairs):
        return Enclosed(value=math.inf, proved=True)
    zero = flint.arb(0)
    if order == 1:
        return enclosed_ball(sum((a * (a / b).log() for a, b in pairs), zero))
    excess = flint.arb(order) - 1
    total = sum(((excess * (a / b).log()).exp() * a for a, b in pairs), zero)
    return enclosed_ball((total.log() / excess).max(zero))
