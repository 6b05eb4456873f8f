"""Chooses the next event to bet on: the one whose payoff has the largest ratio of mean to spread.

A bet's log-wealth grows by about m^2 / 2v for each pair, where m is the payoff's mean and v its variance. A bound on
epsilon has another optimum: it prefers rare events with a large ratio, betting prefers more frequent events. The scores
are those of the event auditor. The bets use later draws only, so any choice is valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from auditors.privacy.event.learned import linear
from auditors.privacy.event.scores import Event, Score
from auditors.privacy.event.select import Split, simple_scores
from auditors.privacy.event.statistics import Higher, medians
from auditors.privacy.event.tails import Tails
from auditors.privacy.event.trees import trees
from auditors.privacy.sequential.bets import Slot
from auditors.privacy.sequential.claim_chain import SLOPES, Target, profile
from dpverify.core.subjects import Float, PrivacyGuarantee

FEWEST_FOR_TREES = 2000
TREES_FROM = 2**15
"""Most draws a side for growing trees, which is slow; later blocks bring more draws."""

ENOUGH = 4.0
"""Smallest past growth, in nats, that counts as a signal; the best of hundreds of thresholds has less by chance."""

WEAKER = (0.8, 0.6, 0.4, 0.2, 0.1)
"""Weaker claims, as multiples of the claimed value, for learning events where no event contradicts the claim."""

Lines = Mapping[int, tuple[Float, Float]]
"""Slopes e^t and deltas of the claim for events more likely under d0 (0) and under d1 (1)."""

Best = tuple[float, tuple[Event, int] | None]
"""Signal of an event, the event, and its direction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedEvent:
    """The event learned from past draws, if any, and its strength, which ranks contenders."""

    slot: Slot | None
    standing: tuple[int, float]


def levels_of(guarantee: PrivacyGuarantee, aim: Target, *, chosen: bool) -> list[Lines]:
    """Lines of the claim (at its chosen point, once `chosen`) for each direction; then those of weaker claims."""
    sides = (0, 1) if aim.direction is None else (aim.direction,)
    weaker: list[Lines] = [dict.fromkeys(sides, aim.lines_at(part)) for part in WEAKER]
    if chosen:
        return [dict.fromkeys(sides, aim.claimed_lines()), *weaker]
    return [{side: (np.exp(SLOPES), profile(guarantee, side)) for side in (0, 1)}, *weaker]


def learned(
    split: Split, levels: Sequence[Lines], *, thorough: bool, source: int, rng: np.random.Generator
) -> LearnedEvent:
    """The best event by past draws, counted in the part that its score was not built on; none without a difference.

    Parameters
    ----------
    split : Split
        Past draws.
    levels : sequence of mapping
        Lines of the claim, then of weaker and weaker claims. Where no event contradicts the claim, one that contradicts
        a weaker claim is the best guess, and the best bet against the chain. Missing directions are skipped.
    thorough : bool
        True learns classifiers for vector outputs too.
    source : int
        The contender's number.
    """
    plain, built = simple_scores(split.build, thorough=thorough)
    if thorough and split.build[0].width > 1:
        plain = [*plain, Higher(levels=medians(*split.build))]
        if (regression := linear(*split.build)) is not None:
            built.append(regression)
    tails = [tails_of(score, split, built=False) for score in plain]
    tails += [tails_of(score, split, built=True) for score in built]
    level, best = _highest(tails, levels, split.held[0].size)
    if thorough and split.build[0].width > 1 and split.build[0].size >= FEWEST_FOR_TREES:
        build = split.build[0].head(TREES_FROM), split.build[1].head(TREES_FROM)
        helpers: tuple[Score, ...] = () if best[1] is None else (best[1][0].score,)
        grown = tails_of(trees(*build, helpers, rng=rng), split, built=True)
        level, best = _highest([*tails, grown], levels, split.held[0].size)
    if best[1] is None:
        return LearnedEvent(slot=None, standing=(-len(levels), 0.0))
    event, direction = best[1]
    slot = Slot(source=source, event=event, direction=direction, k1=0, k2=0, size=0).counted(split.held)
    return LearnedEvent(slot=slot, standing=(-level, best[0]))


def _highest(tails: Sequence[Tails | None], levels: Sequence[Lines], size: int) -> tuple[int, Best]:
    """The best event against the first level that some event contradicts, or else against the last."""
    best: Best = 0.0, None
    for level, lines in enumerate(levels):
        best = most_telling(tails, lines)
        if best[0] * size / 2.0 >= ENOUGH:
            return level, best
    return len(levels), best


def tails_of(score: Score, split: Split, *, built: bool) -> Tails | None:
    """Tails on the whole past, or on the part that a score was not built on."""
    return Tails.of(score, split.held if built else split.whole)


def most_telling(tails: Sequence[Tails | None], lines: Lines) -> Best:
    """The event with the strongest signal and its direction; (0, None) without one."""
    best: Best = 0.0, None
    for tail in tails:
        if tail is None:
            continue
        seen = (tail.rates() * tail.size + 0.5) / (tail.size + 1.0)
        found = np.zeros(seen.shape)
        for direction, (slopes, deltas) in lines.items():
            here, there = seen[2 * direction : 2 * direction + 2], seen[2 - 2 * direction : 4 - 2 * direction]
            found[2 * direction : 2 * direction + 2] = signal(here, there, slopes, deltas)
        row, column = divmod(int(np.argmax(found)), tail.thresholds.size)
        if found[row, column] > best[0]:
            event = Event(score=tail.score, threshold=float(tail.thresholds[column]), above=row % 2 == 0)
            best = float(found[row, column]), (event, row // 2)
    return best


def signal(p: Float, q: Float, slopes: Float, deltas: Float) -> Float:
    """Largest m^2 / (v + m^2) over the lines of payoffs with positive mean; 0 where there is none. Shape of p."""
    p, q = np.asarray(np.expand_dims(p, -1)), np.asarray(np.expand_dims(q, -1))
    mean = np.maximum(p - slopes * q - deltas, 0.0)
    square = p * (1.0 - p) + slopes * slopes * q * (1.0 - q) + mean * mean
    return np.asarray(np.max(mean * mean / square, axis=-1))
