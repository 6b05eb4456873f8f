"""The violation that an audit should detect: from a factor, or by default, to a value of the claim's headline measure.

Side of the error: what a number of draws can reach is computed for the most telling event that a mechanism of the
sought value could have, so a real mechanism needs more.

The false-alarm probability and the draws are divided before the first of them.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from auditors.privacy.detectable import detects
from auditors.privacy.event.expected_gain import Choice
from auditors.privacy.event_bounds import Goal
from auditors.privacy.gate.closer_look import part_of_detectable
from dpverify.core.subjects import Scalable
from dpverify.stats.intervals import LARGEST_TRIALS
from dpverify.stats.joint import JointRegion
from dpverify.stats.power import would_refute

POWER = 0.8
LEAST = 1_000
"""Draws a side that count an event, where there are so many."""

ROOM = 0.9
"""Part of the sought value that is to be detectable by the event as the search saw it: counts will differ."""

PLANNED = 0.7
"""Part of the rate at which exact values were seen, for which their draws are planned."""

RATES = np.concatenate([np.geomspace(1e-4, 0.05, 12), np.linspace(0.08, 0.5, 12)])
"""Probabilities, under the less likely side, of the events that are tried."""


REPLAY, BETS, MORE = 0.1, 0.3, 0.1
"""Shares of the false-alarm probability; the event has the rest."""

SCARCE = 1_000
"""Draws a side below which a call takes so long that the search is as short as can be, and bets have most of them."""

FEW, MANY = 50_000, 200_000
"""Draws a side below which fewer pairs are searched, and from which on more."""

SMALLEST_LOOK, LARGEST_LOOK = 64, 512
"""Draws a side of one look at a pair, twice: one part chooses an event, the other counts it."""

WHOLE = 3_072
"""Trials from which on every pair of the search gets `SMALLEST_LOOK` draws, twice, within the search's quarter."""

CLOSER, LARGEST_CLOSER = 16, 2**14
"""A closer look at the chosen pair draws this part of the draws, and at the most so many."""


def reached(goal: Goal, sought: float, trials: int, *, alpha: float) -> bool:
    """Whether so many draws a side refute the claim with 80 % power where the headline's true value is `sought`."""
    worse = _worse(goal, sought)
    if worse is None:
        return True  # nobody knows: nothing is said
    if trials < 1:
        return False
    allowed = goal.allowed(0)
    return any(
        would_refute(float(p), float(q), trials, allowed=allowed, alpha=alpha, power=POWER)
        for q, p in zip(RATES, 1.0 - worse, strict=True)
        if p > q
    )


def draws_needed(goal: Goal, sought: float, *, alpha: float, above: int) -> int | None:
    """The first of `above` doubled again and again with which the sought value would be detected; None beyond 1e10."""
    trials = max(above, 1)
    while 2 * trials <= LARGEST_TRIALS:
        trials *= 2
        if reached(goal, sought, trials, alpha=alpha):
            return trials
    return None


def event_draws(
    goal: Goal, choice: Choice | None, sought: float | None, *, alpha: float, most: int, loss: float | None = None
) -> int:
    """Draws a side that count an event like `choice`: `LEAST`, doubled until its power should do.

    It is fixed by what the search drew, before the first of these draws.

    Parameters
    ----------
    sought : float or None
        What is to be detected; None takes all draws.
    most : int
        All that there are.
    loss : float or None
        What is lost on the pair, where that is known from a closer look.
    """
    if sought is None or choice is None or not choice.p > choice.q:
        return most

    def enough(draws: int) -> bool:
        k1, k2 = round(choice.p * draws), round(choice.q * draws)
        region = JointRegion(k1=k1, n1=draws, k2=k2, n2=draws, alpha=alpha, share=choice.share)
        part = 1.0 if loss is None else part_of_detectable(goal, region, loss)
        return detects(goal, region, choice.direction, at_most=ROOM * sought / part)

    doubled = [LEAST << power for power in range(LARGEST_TRIALS.bit_length()) if LEAST << power < most]
    place = bisect_left(doubled, True, key=enough)  # more draws detect less
    return doubled[place] if place < len(doubled) else most


def draws_alone(goal: Goal, choice: Choice, *, alpha: float, most: int, part: float = PLANNED) -> int | None:
    """Draws a side that would refute by the exact values of one side, with 80 % power; None where `most` do not do.

    `choice`: its rates are those that were seen. `part`: of the larger rate, on which the plan counts.
    """
    draws, allowed = min(LEAST, most), goal.allowed(choice.direction)
    while not would_refute(part * choice.p, choice.q, draws, allowed=allowed, alpha=alpha, power=POWER):
        if draws >= most:
            return None
        draws = min(2 * draws, most)
    return draws


def _worse(goal: Goal, sought: float) -> np.ndarray | None:
    """False-negative rates, at `RATES`, of a mechanism of the same family with the sought value."""
    claimed, guarantee = goal.headline.claimed, goal.guarantee
    if not (claimed > 0 and isinstance(guarantee, Scalable) and math.isfinite(sought)):
        return None
    scaled = guarantee.scaled(sought / claimed)
    return np.asarray(scaled.tradeoff(RATES), dtype=np.float64)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Shares of the error probability: their sum is the whole, whatever is skipped."""

    replay: float
    bets: float
    event: float
    """`replay`, `bets`, `event`: each step's probability to refute a true claim."""
    more: float
    """That of one count beside the event's: of exact values that the closer look saw, or after a second look."""

    @classmethod
    def of(cls, alpha: float, *, replayed: bool) -> Levels:
        """The division of `alpha`; a subject that cannot be replayed leaves that share to the event."""
        replay = REPLAY * alpha if replayed else 0.0
        bets, more = BETS * alpha, MORE * alpha
        return cls(replay=replay, bets=bets, event=alpha - replay - bets - more, more=more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Draws a side of each step. From `WHOLE` trials on, all of them together are at most the trials.

    Below that the search takes more than its quarter, `SMALLEST_LOOK` twice for each pair. The calls that find the form
    of the outputs and the order of a batch come before, and the runs of a replay on top.
    """

    pairs: int
    look: int
    """`pairs`, `look`: pairs that are looked at, and draws of half a look at one of them."""
    bets: int
    """At the most."""
    event: int
    """That count the event; choosing it takes up to as many again."""
    box: int = 0
    """Points of the pairs' box that are looked at beside the listed pairs."""
    closer: int = 0
    """Of a closer look at the chosen pair, at the most."""

    @classmethod
    def of(cls, trials: int, *, searched: bool, pairs: int | None = None) -> Draws:
        """A quarter for the search (none where there is one pair), a quarter for bets, the rest for the event.

        The closer look is paid from the bets' quarter. Where draws are scarce there is none, and bets have half of all.
        So many `pairs`, where they are given, share the search's quarter; bets have half, since no event follows them.
        """
        closer = min(trials // CLOSER, LARGEST_CLOSER) if trials >= SCARCE else 0
        if not searched:
            look = min(max(trials // 16, SMALLEST_LOOK), LARGEST_LOOK)
            return cls(pairs=1, look=look, bets=trials // 3 - closer, event=trials // 4, closer=closer)
        if pairs is not None:
            look = min(max(trials // (8 * pairs), 16), LARGEST_LOOK // 4)
            return cls(pairs=pairs, look=look, bets=trials // 2, event=trials // 4, closer=closer)
        if trials < SCARCE:
            return cls(pairs=2, look=max(trials // 16, 16), bets=trials // 2, event=trials // 4)
        pairs, box = (6, 0) if trials < FEW else (10, 4 if trials >= MANY else 0)
        look = min(max(trials // (8 * (pairs + box)), SMALLEST_LOOK), LARGEST_LOOK)
        return cls(pairs=pairs, look=look, bets=trials // 4 - closer, event=trials // 4, box=box, closer=closer)
