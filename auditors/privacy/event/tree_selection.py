"""Chooses the pairs that get boosted trees as a score.

Trees detect leaks that no sum of features can, and are the slowest to learn. Where other draws confirm the choice, they
are grown on few draws for each pair first, then on all draws for the pair whose first trees gain most. Otherwise they
are grown where the gain may be worth the time. The bound of the chosen event comes from new draws.
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
"""Fewest draws a side for growing trees."""

CLEARLY, CLEARLY_MORE, CLEARLY_ENOUGH, CLEARLY_TRIED = 1.65, 1.1, 2**13, 2**15
"""A gain above which trees are less useful, and then their least factor of gain, growing draws and trial draws.

Above the first number the claim is exceeded by 15 % even with caution, so trees can improve the bound but not the
verdict.
"""

TRIED, ALMOST, TRIED_ON = 2**15, 0.6, 8
"""Where other draws confirm the choice, trees are tried on few draws first (the first number).

They must gain at least a part (the second) of the best other score's counted gain (a smoothed gain may be wrong and
would exclude them). Their gain is computed on a multiple (the third) of the draws that they were grown on, since tails
are rarer than splits.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTrees:
    """Trees grown on few draws of a pair: their expected gain, and what is needed to grow them in full."""

    gain: float
    best: Choice | None
    split: Split
    rng: np.random.Generator


def trial_trees(
    best: Choice | None, split: Split, goal: Goal, *, trials: int, alpha: float, rng: np.random.Generator
) -> TrialTrees | None:
    """Trees grown on few draws, if their gain is close to the counted `best`; else None, which is the usual case."""
    tail = _tail(split, TRIED, rng)
    gain = 0.0 if tail is None else _gain([tail], goal, trials=trials, alpha=alpha)
    if gain <= 0.0 or (best is not None and gain <= ALMOST * best.gain):
        return None
    return TrialTrees(gain=gain, best=best, split=split, rng=rng)


def grown_in_full(tried: TrialTrees, goal: Goal, *, trials: int, alpha: float) -> Tails | None:
    """Trees grown on all draws, if they gain more than the best counted event."""
    tail = _tail(tried.split, tried.split.build[0].size, tried.rng)
    gain = 0.0 if tail is None else _gain([tail], goal, trials=trials, alpha=alpha)
    if gain <= 0.0 or (tried.best is not None and gain <= TREES_MUST_GAIN * tried.best.gain):
        return None
    return tail


def _tail(split: Split, rows: int, rng: np.random.Generator) -> Tails | None:
    """Tails of trees grown on some rows a side and tried on more."""
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
    """Grow trees on the coordinates and simple statistics.

    A score learned from the same draws is no input, since trees would trust its noise.
    """
    plain, _ = simple_scores((build[0].head(GLANCE), build[1].head(GLANCE)), thorough=False)
    return trees(*build, [score for score in plain if not isinstance(score, Coordinate)], rng=rng)
