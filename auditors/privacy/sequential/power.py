"""The detectable violation of a sequential audit: the smallest true value that betting refutes with 80 % power.

Two conditions must hold. First, the bets must win: on half of the leading contender's pairs (the other half is used for
learning), with the wealth divided equally among the largest number of simultaneous slots (`dpverify.stats.e_power`).
Second, with several pairs of data sets, the leaking one must not be dropped: the rounds are simulated, with all others
exactly at the claim.

An event shows a whole pure epsilon, but only a part of a divergence or of an epsilon at delta > 0; there the value is
scaled up (`whole`).

Assumptions: an event of that rate on the less likely side; contenders are ranked by it alone. Side of the error: the
bets refute more often than computed (`detectable_hits`), which compensates for losses in learning. It is an estimate,
tested by simulation. The ceiling is different: it is the bound of a perfect event.
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
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Float
from dpverify.definitions.gdp import GDP
from dpverify.stats.e_power import detectable_hits

POWER = 0.8
SURVIVES = 0.85
"""Required probability of surviving the rounds; above the power, since the bets afterwards may fail too."""

LEARNT_BY = 2
"""One of this number of pairs is used for betting; the others are for learning."""

PLAYED, HALVINGS = 400, 12
WEAK = 0.1
"""Part of the claimed value by which contenders are ranked in the simulated rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A round in which `kept` of `of` contenders remained, with their number of pairs by then."""

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
    """The smallest true value of the measure that is refuted with 80 % power, by an event of this rate; may be inf.

    Parameters
    ----------
    target : Target
        The chain that is bet against.
    rate : float
        Probability of the event under Q.
    counted : tuple of float
        Its shares of the draws, under P and under Q.
    pairs : int
        Pairs of the leading contender that were bet on.
    slots : int
        Largest number of simultaneous slots.
    alpha : float
        Error probability of the audit.
    rounds : sequence of Round
        Rounds in which contenders were dropped.
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
    """The measure's value for a mechanism with an event of probabilities (p, q), which may show only a part of it.

    Pure epsilon and mu are those that the event shows; a Rényi divergence is that of the Gaussian pair with such an
    event. For an epsilon at delta > 0 (or a delta), the event is assumed to show the same part as it showed of the
    claim in the counts, or the part that it shows for a Gaussian pair, if that is more.
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
    """How often a contender with an event of probabilities (p, q) remains to the end; the others are at the claim.

    The fraction of `PLAYED` simulations with random counts.
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
    """The smallest value of [low, 1] at which a monotone condition holds; inf where it does not hold at 1."""
    if holds(low):
        return low
    high = 1.0
    if not holds(high):
        return math.inf
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
