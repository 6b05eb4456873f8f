"""The detectable violation of a sequential audit: the smallest true value that betting refutes with 80 % power.

Two things must go well. First the bets: on half of the leading contender's own pairs (the other half is spent on
learning), with an even share of the wealth among as many slots as were ever bet on at once (`dpverify.stats.e_power`).
Second, where several pairs of data sets were looked at, the one that leaks must not be dropped before: the rounds are
simulated, with all others at the very edge of the claim.

An event shows all of a pure epsilon, and only part of a divergence or of an epsilon beyond some delta; so the value is
scaled up there (`whole`).

Assumptions: an event of that rate under the less likely side; contenders are ranked by it alone. Side of the error: the
bets alone refute more often than they say (`detectable_hits`), and what is spared there pays for what learning misses;
no bound, and simulated in the tests. Not to be confused with the ceiling, which is what a perfect event could show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from auditors.privacy.event_bounds import tightness, value
from auditors.privacy.sequential.claim_chain import Target
from auditors.privacy.sequential.events import signal
from dpverify.core.measure import Measure
from dpverify.core.subjects import Float
from dpverify.definitions.gdp import GDP
from dpverify.stats.e_power import detectable_hits

POWER = 0.8
SURVIVES = 0.85
"""What the rounds are asked for: more than the power, since what follows them may fail too."""

LEARNT_BY = 2
"""One pair in so many that are bet on counts: the rest only learns."""

PLAYED, HALVINGS = 400, 12
WEAK = 0.1
"""Part of the claimed value by which contenders are ranked in the rounds that are played again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Of `of` contenders, with so many pairs each by then, `kept` stayed."""

    pairs: int
    of: int
    kept: int


def detectable(
    target: Target,
    *,
    rate: float,
    counted: tuple[float, float],
    pairs: int,
    slots: int,
    alpha: float,
    rounds: Sequence[Round],
    rng: Callable[[], np.random.Generator],
) -> float:
    """The smallest true value of the measure, in an event of this rate under Q, that is refuted so; may be inf.

    Parameters
    ----------
    target : Target
        What is bet against.
    rate : float
        Of the event under Q.
    counted : tuple of float
        Its shares of the draws, under P and under Q.
    pairs : int
        Of the leading contender, that were bet on.
    slots : int
        Bet on at once, at most.
    alpha : float
        The audit's.
    rounds : sequence of Round
        In which contenders were given up.
    rng : callable
        A generator in the same state each time.
    """
    p = detectable_hits(rate, pairs // LEARNT_BY, *target.claimed_lines(), alpha=alpha / slots, power=POWER)
    if math.isfinite(p) and rounds:
        p = _least(lambda p: survives(p, rate, target, rounds, rng=rng()) >= SURVIVES, p)
    if not math.isfinite(p):
        return math.inf
    return whole(target.measure, p, rate, counted)


def whole(measure: Measure, p: float, q: float, counted: tuple[float, float]) -> float:
    """The value of a mechanism that has an event of probabilities (p, q), of which the event may show only a part.

    Pure epsilon and mu are as the event shows them, a Renyi divergence is that of the Gaussian pair with such an event.
    Of an epsilon beyond some delta (or a delta) the event shows the part that it showed of the claim in the counts; or
    what it shows of a Gaussian pair, if that is more.
    """
    shown = float(value(measure, np.array(p), np.array(q)))
    if measure.kind == "mu" or (measure.kind == "epsilon" and measure.argument == 0.0):
        return shown
    if measure.kind == "renyi":
        return max(shown, _gaussian(measure, p, q))
    part = min(1.0, float(tightness(measure, value(measure, *(np.array(rate) for rate in counted)))))
    return max(shown, min(shown / part if part > 0.0 else math.inf, _gaussian(measure, p, q)))


def _gaussian(measure: Measure, p: float, q: float) -> float:
    """The measure of the Gaussian pair that has an event of probabilities (p, q)."""
    mu = float(special.ndtri(p) - special.ndtri(q))
    if not math.isfinite(mu):
        return math.inf
    if measure.kind == "renyi":
        return 0.5 * measure.argument * mu * mu
    pair = GDP(mu=max(mu, 0.0))
    if measure.kind == "delta":
        return float(pair.delta(measure.argument))
    low, high = 0.0, 1.0
    while float(pair.delta(high)) > measure.argument:
        low, high = high, 2.0 * high
    for _ in range(2 * HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(pair.delta(middle)) > measure.argument else (low, middle)
    return high


def survives(p: float, q: float, target: Target, rounds: Sequence[Round], *, rng: np.random.Generator) -> float:
    """How often a contender with an event of probabilities (p, q) stays to the end; all others allow just the claim.

    Of `PLAYED` games with drawn counts.
    """
    slopes, deltas = target.claimed_lines()
    edge = float(np.min(np.minimum(slopes * q + deltas, 1.0)))
    rates = np.full((2, rounds[0].of), q)
    rates[0] = edge
    rates[0, 0] = p
    hits, before = np.zeros((2, PLAYED, rounds[0].of)), 0
    alive = np.ones((PLAYED, rounds[0].of), dtype=np.bool_)
    lines = target.lines_at(WEAK)
    for one in rounds:
        hits += rng.binomial(one.pairs - before, rates[:, None, :], size=hits.shape)
        before = one.pairs
        standing = np.where(alive, _signal(hits, one.pairs, lines), -1.0)
        worst = np.sort(standing, axis=1)[:, -one.kept][:, None]
        alive = standing >= worst
    return float(alive[:, 0].mean())


def _signal(hits: Float, pairs: int, lines: tuple[Float, Float]) -> Float:
    p, q = (hits + 0.5) / (pairs + 1.0)
    return signal(p, q, *lines)


def _least(holds: Callable[[float], bool], low: float) -> float:
    """The least value of [low, 1] at which a monotone condition holds; inf where it does not at 1."""
    if holds(low):
        return low
    high = 1.0
    if not holds(high):
        return math.inf
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
