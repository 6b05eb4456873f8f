"""Which pairs get boosted trees as a score: trees catch what no sum of features can, and take longest of all to learn.

Where other draws confirm the choice, trees are grown on few draws first, for each pair; then in full, for the one pair
whose first trees gain most. Elsewhere they are grown where the gain may be worth the time. Nothing here bounds
anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auditors.privacy.event.expected_gain import DISCOUNT, Choice, largest_gain
from auditors.privacy.event.scores import Coordinate, Score
from auditors.privacy.event.select import GLANCE, TREES_MUST_GAIN, Split, simple_scores
from auditors.privacy.event.tails import Tails
from auditors.privacy.event.trees import trees
from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Sample

FEWEST_FOR_TREES = 2000
"""Draws a side that trees learn from at least."""

CLEARLY, CLEARLY_MORE, CLEARLY_ENOUGH, CLEARLY_TRIED = 1.65, 1.1, 2**13, 2**15
"""Where a gain is above the first already (the headline is exceeded by 15 %, caution included), trees learn from so few
draws a side (the third) and are tried on so many (the fourth), and must gain that many times as much (the second):
it is the bound that may still grow, not the verdict."""

TRIED, ALMOST, TRIED_ON = 2**15, 0.6, 8
"""Where other draws confirm the choice, trees are tried on so few draws first; they must gain at least that part of
what the best other score gains as counted (a smoothed gain may be mistaken, and would shut them out). Their gain is
read off so many times the draws that they grew on, since tails are rarer than splits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTrees:
    """Trees grown on few draws of a pair: their expected gain, and what growing them in full needs (`rng` goes on)."""

    gain: float
    best: Choice | None
    split: Split
    rng: np.random.Generator


def trial_trees(
    best: Choice | None, split: Split, goal: Goal, *, trials: int, alpha: float, rng: np.random.Generator
) -> TrialTrees | None:
    """Trees grown on few draws, where they come near the `best` that was counted: most of the time they do not."""
    tail = _tail(split, TRIED, rng)
    gain = 0.0 if tail is None else _gain([tail], goal, trials=trials, alpha=alpha)
    if gain <= 0.0 or (best is not None and gain <= ALMOST * best.gain):
        return None
    return TrialTrees(gain=gain, best=best, split=split, rng=rng)


def grown_in_full(tried: TrialTrees, goal: Goal, *, trials: int, alpha: float) -> Tails | None:
    """The same grown on all draws, where they gain more than the best event that was counted."""
    tail = _tail(tried.split, tried.split.build[0].size, tried.rng)
    gain = 0.0 if tail is None else _gain([tail], goal, trials=trials, alpha=alpha)
    if gain <= 0.0 or (tried.best is not None and gain <= TREES_MUST_GAIN * tried.best.gain):
        return None
    return tail


def _tail(split: Split, rows: int, rng: np.random.Generator) -> Tails | None:
    """Of trees grown on so many rows a side, and tried on more."""
    if split.build[0].width == 1 or split.build[0].size < FEWEST_FOR_TREES:
        return None
    build = split.build[0].head(rows), split.build[1].head(rows)
    held = split.held[0].head(TRIED_ON * rows), split.held[1].head(TRIED_ON * rows)
    return Tails.of(_grown(build, rng), held, learned=True)


def _gain(tails: list[Tails], goal: Goal, *, trials: int, alpha: float) -> float:
    found = largest_gain(tails, goal, trials=trials, alpha=alpha)
    return 0.0 if found is None else found.gain


def choose_trees(
    best: Choice | None, split: Split, goal: Goal, *, trials: int, alpha: float, rng: np.random.Generator
) -> Choice | None:
    """`best`, or an event of boosted trees where that gains clearly more; parameters as for `choose`."""
    if split.build[0].width == 1 or split.build[0].size < FEWEST_FOR_TREES:
        return best
    build, held, must_gain = split.build, split.held, TREES_MUST_GAIN
    if best is not None and best.gain > CLEARLY:
        build = build[0].head(CLEARLY_ENOUGH), build[1].head(CLEARLY_ENOUGH)
        held = held[0].head(CLEARLY_TRIED), held[1].head(CLEARLY_TRIED)
        must_gain = CLEARLY_MORE
    tail = Tails.of(_grown(build, rng), held)
    grown = largest_gain([tail], goal, trials=trials, alpha=alpha) if tail is not None else None
    if grown is None or grown.gain < DISCOUNT or (best is not None and grown.gain <= must_gain * best.gain):
        return best
    return grown


def _grown(build: tuple[Sample, Sample], rng: np.random.Generator) -> Score:
    """Trees that see the coordinates and simple statistics, and no score that the same draws have taught: they would
    believe it where it is noise."""
    plain, _ = simple_scores((build[0].head(GLANCE), build[1].head(GLANCE)), thorough=False)
    return trees(*build, [score for score in plain if not isinstance(score, Coordinate)], rng=rng)
