"""Chooses one event and one direction: those with the largest expected gain for the number of later trials.

Learned scores are built on earlier draws (or on one half of the present ones); their thresholds, and those of plain
scores, are tried on the other draws. The bound of the chosen event comes from new draws.

Trees detect leaks that no sum of features can, and are the slowest to learn. Where other draws confirm the choice, they
are grown on few draws for each pair first, then on all draws for the pair whose first trees gain most. Otherwise they
are grown where the gain may be worth the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from auditors.privacy.event.expected_gain import DISCOUNT, SHOWN, Choice, largest_gain, most_telling, shrunken_gain
from auditors.privacy.event.learned import linear, most_telling_columns, stacked, telling_columns
from auditors.privacy.event.scores import Coordinate, Score
from auditors.privacy.event.statistics import Higher, Statistic, higher, statistics_of
from auditors.privacy.event.tables import block_tables, cells, frequent, table
from auditors.privacy.event.tails import FEW_SORTED, SORTED, Tails
from auditors.privacy.event.trees import trees
from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Sample

REMEMBERED = 2**23
"""Numbers a side that are kept from a pair's screening: 64 MiB, half of the memory of selection."""

COORDINATES, MANY_COORDINATES, FEW_COORDINATES = 16, 64, 3
TREES_MUST_GAIN = 1.03
"""Trees are slow to apply, so they are chosen only if their gain is larger by this factor.

Where other draws confirm the choice, this holds for all learned scores, since they are selected among more events.
"""

GLANCE, ENTRIES = 2**15, 2**14
"""Draws a side of a quick look, and numbers a side for finding frequent values."""

SHORT = 3
"""Number of events, by counted and by smoothed gain, that are confirmed on other draws."""

GLIMPSE = 2**18
"""Draws a side on which plain scores of vectors are tried where other draws confirm the choice."""

KEPT = 12
"""Number of plain scores tried on the whole sample, and draws a side that select them.

A quick look tries half as many, selected on a quarter of the draws.
"""


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
class Split:
    """A selection sample, each part (d0, d1): to build scores on, to choose thresholds of built scores on, and whole.

    Scores that are not learned may use the whole sample for their thresholds.
    """

    build: tuple[Sample, Sample]
    held: tuple[Sample, Sample]
    whole: tuple[Sample, Sample]

    @classmethod
    def of(
        cls, sides: Sequence[Sample], seen: tuple[Sample, Sample] | None = None, *, rng: np.random.Generator
    ) -> Split:
        """Split new samples: all for thresholds when enough draws were `seen` to build scores, else halves."""
        whole = sides[0], sides[1]
        if seen is not None and 2 * seen[0].size >= whole[0].size:
            return cls(build=seen, held=whole, whole=whole)
        (first, later_first), (second, later_second) = (side.halves(rng) for side in sides)
        return cls(build=(first, second), held=(later_first, later_second), whole=whole)

    def remembered(self) -> tuple[Sample, Sample]:
        """Everything seen so far, for building scores later, up to the memory limit."""
        first, second = (build.joined(held) for build, held in zip(self.build, self.held, strict=True))
        room = max(1, REMEMBERED // first.width)
        return first.head(room), second.head(room)


def simple_scores(sides: tuple[Sample, Sample], *, thorough: bool) -> tuple[list[Score], list[Score]]:
    """Scores that need no classifier: plain functions of an output, and tables built on these samples of d0 and d1."""
    first, second = sides
    if first.values.ndim == 1:
        columns: tuple[int, ...] = (0,)
        plain: list[Score] = [Coordinate()]
    else:
        columns, few = most_telling_columns(first, second, COORDINATES, COORDINATES if thorough else FEW_COORDINATES)
        plain = [Coordinate(column=column) for column in few]
        rows = max(1, ENTRIES // first.width)
        entries = np.concatenate([first.values[:rows].ravel(), second.values[:rows].ravel()])
        points, counts = np.unique(entries, return_counts=True)
        common = frequent(points, counts, at_least=max(8, entries.size // 50))[:3]
        plain += statistics_of(first, [float(value) for value in common])
    fineness = (8, 32) if thorough else (8,)
    if thorough and first.values.ndim > 1:
        columns = telling_columns(first, second, MANY_COORDINATES)
    built: list[Score] = [cells(first, second, columns, pieces) for pieces in fineness]
    if (found := table(first, second)) is not None:
        built.append(found)
    return plain, built


def choose(split: Split, goal: Goal, *, trials: int, alpha: float, thorough: bool) -> Choice | None:
    """The best event of all families but trees, or None without a difference; parameters as for `scores_and_tails`."""
    plain, tails = scores_and_tails(split, goal, trials=trials, alpha=alpha, thorough=thorough, smooth=False)
    return largest_gain(tails, goal, trials=trials, alpha=alpha, favoured=plain)


def quick_choice(split: Split, goal: Goal, *, trials: int, alpha: float, bold: bool) -> tuple[Choice | None, float]:
    """The best event by a quick look, and the largest shrunken gain (0 where no other draws confirm the choice).

    For vectors the shrunken gain is 0, too: the tails of learned scores are smoothed, which covers rare events.
    """
    wide = split.build[0].width > 1
    plain, tails = scores_and_tails(split, goal, trials=trials, alpha=alpha, thorough=False, smooth=bold and wide)
    possible = shrunken_gain(tails, goal, trials=trials, alpha=alpha) if bold and not wide else 0.0
    return largest_gain(tails, goal, trials=trials, alpha=alpha, favoured=plain, bold=bold), possible


def shortlist(split: Split, goal: Goal, *, trials: int, alpha: float) -> tuple[list[Tails], Choice | None]:
    """The scores with the largest counted and smoothed gains, and the best event by counted gain.

    Other draws then choose among the events of these scores.

    Smoothing reaches further into the tails and may be wrong, which does no harm when new draws decide.
    """
    _, tails = scores_and_tails(split, goal, trials=trials, alpha=alpha, thorough=True, smooth=split.build[0].width > 1)
    found: dict[int, Tails] = {}
    for smooth in (False, True):
        of = [tail for tail in tails if tail.learned or not smooth]
        ranked = [
            (choice.gain, place)
            for place, tail in enumerate(of)
            if (choice := largest_gain([replace(tail, learned=smooth)], goal, trials=trials, alpha=alpha)) is not None
        ]
        for _, place in sorted(ranked, key=lambda pair: -pair[0])[:SHORT]:
            found[id(of[place].score)] = of[place]
    counted = [replace(tail, learned=False) for tail in tails]
    return list(found.values()), largest_gain(counted, goal, trials=trials, alpha=alpha)


def confirmed(tails: Sequence[Tails], goal: Goal, *, trials: int, alpha: float) -> Choice | None:
    """The best event on draws that chose no score; a plain one is preferred when its gain is almost as large."""
    plain = [tail.score for tail in tails if isinstance(tail.score, Coordinate | Statistic | Higher)]
    return largest_gain(
        tails, goal, trials=trials, alpha=alpha, favoured=plain, grace=TREES_MUST_GAIN, bold=True, shown=SHOWN
    )


def scores_and_tails(
    split: Split, goal: Goal, *, trials: int, alpha: float, thorough: bool, smooth: bool
) -> tuple[list[Score], list[Tails]]:
    """Plain scores, and the tails of all scores tried except trees.

    Parameters
    ----------
    split : Split
        The selection sample.
    trials : int
        Draws a side of the later certification.
    alpha : float
        Error probability of the certification.
    thorough : bool
        False for a quick look; True tries more scores, and learns a regression (vector outputs only).
    smooth : bool
        Whether the tails of learned scores may be smoothed.
    """
    plain, built = simple_scores(split.build, thorough=thorough)
    if thorough and split.build[0].width > 1:
        built += _learned(split.build)
    glanced, kept_ones = (GLANCE, KEPT) if thorough else (GLANCE // 4, KEPT // 2)
    if split.whole[0].size >= 2 * glanced and len(plain) > kept_ones:
        glance = split.whole[0].head(glanced), split.whole[1].head(glanced)
        plain = most_telling(plain, glance, goal, kept=kept_ones, trials=trials, alpha=alpha)
    most = FEW_SORTED if smooth else SORTED
    whole = split.whole[0].head(GLIMPSE), split.whole[1].head(GLIMPSE)
    tails = [
        tail for score in plain if (tail := Tails.of(score, whole if smooth else split.whole, most=most)) is not None
    ]
    tails += [tail for score in built if (tail := Tails.of(score, split.held, learned=smooth, most=most)) is not None]
    return plain, tails


def _learned(build: tuple[Sample, Sample]) -> list[Score]:
    """Scores of vectors by a regression or a table of several coordinates."""
    blocks = block_tables(*build)
    counts = higher(*build)
    regression = linear(*build, blocks)
    parts: list[Score] = [*blocks, *counts, *([regression] if regression is not None else [])]
    joined = stacked(*build, parts)
    return [*parts, *([joined] if joined is not None else [])]


def with_share(choice: Choice, goal: Goal, *, trials: int, alpha: float) -> Choice:
    """The event with the region's share that is best at the expected counts."""
    k1, k2 = int(choice.p * trials), min(int(np.ceil(choice.q * trials)), trials)
    share = goal.best_share(k1, k2, trials, alpha=alpha, direction=choice.direction, gain=choice.gain)
    return replace(choice, share=share)


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
