"""The violation that an audit should detect: from a factor, or by default, to a value of the claim's headline measure.

Side of the error: what a number of draws can reach is computed for the most telling event that a mechanism of the
sought value could have, so a real mechanism needs more.
"""

from __future__ import annotations

import math
from bisect import bisect_left

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

    Parameters
    ----------
    choice : Choice
        Its rates are those that were seen.
    part : float
        Of the larger rate, on which the plan counts.
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
