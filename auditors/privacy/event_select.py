"""Choosing one event and one direction: those that promise the best certified bound at the number of trials to come.

Scores that are learned are built on draws that were seen before (or on one half of those at hand); their thresholds,
and those of plain scores, are tried on the others. Nothing here bounds anything: whatever is chosen, its bound comes
from fresh draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from auditors.privacy.event_bounds import Goal, measure_lower
from auditors.privacy.event_learned import linear, telling_columns, trees
from auditors.privacy.event_outputs import Sample
from auditors.privacy.event_promise import DISCOUNT, Choice, most_telling, promising
from auditors.privacy.event_scores import Coordinate, Score
from auditors.privacy.event_statistics import Higher, medians, statistics_of
from auditors.privacy.event_tables import cells, frequent, table
from auditors.privacy.event_tails import Tails
from dpverify.stats.joint import JointRegion
from dpverify.stats.refute import excess_lower

REMEMBERED = 2**21
"""Numbers a side that are kept of a pair's screening."""

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
COORDINATES, FEW_COORDINATES = 16, 3
TREES_MUST_GAIN = 1.03
"""Trees are slow to apply: they are chosen only where they promise this many times as much."""

FEWEST_FOR_TREES = 2000
CLEARLY, CLEARLY_MORE, CLEARLY_ENOUGH = 1.65, 1.1, 2**13
"""Where a gain is above the first already (the headline is exceeded by 15 %, caution included), trees learn from so few
draws a side, and must promise that many times as much: it is the bound that may still grow, not the verdict."""

GLANCE = 2**15
KEPT = 12
"""So many of the plain scores, the best on so many draws a side, are tried on the whole sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A selection sample, each part (d0, d1): to build scores on, to choose thresholds of built scores on, and whole.

    Scores that are not built from data may use the whole sample for their thresholds.
    """

    build: tuple[Sample, Sample]
    held: tuple[Sample, Sample]
    whole: tuple[Sample, Sample]

    @classmethod
    def of(
        cls, sides: Sequence[Sample], seen: tuple[Sample, Sample] | None = None, *, rng: np.random.Generator
    ) -> Split:
        """Of new samples of one size: all of them held back when enough was `seen` before to build on, else halves."""
        whole = sides[0], sides[1]
        if seen is not None and 2 * seen[0].size >= whole[0].size:
            return cls(build=seen, held=whole, whole=whole)
        (first, later_first), (second, later_second) = (side.halves(rng) for side in sides)
        return cls(build=(first, second), held=(later_first, later_second), whole=whole)

    def remembered(self) -> tuple[Sample, Sample]:
        """Everything seen so far, as something to build on later: no more numbers than memory has room for."""
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
        columns = telling_columns(first, second, COORDINATES)
        few = columns if thorough else telling_columns(first, second, FEW_COORDINATES)
        plain = [Coordinate(column=column) for column in few]
        entries = np.concatenate([first.values[:4096].ravel(), second.values[:4096].ravel()])
        points, counts = np.unique(entries, return_counts=True)
        common = frequent(points, counts, at_least=max(8, entries.size // 50))[:3]
        plain += statistics_of(first, [float(value) for value in common])
    fineness = (8, 32) if thorough else (8,)
    built: list[Score] = [cells(first, second, columns, pieces) for pieces in fineness]
    if (found := table(first, second)) is not None:
        built.append(found)
    return plain, built


def choose(split: Split, goal: Goal, *, trials: int, alpha: float, thorough: bool) -> Choice | None:
    """The best event of all families but trees, or None when both sides look alike.

    Parameters
    ----------
    split : Split
        The selection sample.
    trials : int
        Draws per side of the certification to come.
    alpha : float
        Its error probability.
    thorough : bool
        False for a quick look; True tries more scores, and learns a regression (vector outputs only).
    """
    plain, built = simple_scores(split.build, thorough=thorough)
    if thorough and split.build[0].width > 1 and (regression := linear(*split.build)) is not None:
        built.append(regression)
    if thorough and split.whole[0].size >= 2 * GLANCE and len(plain) > KEPT:
        glance = split.whole[0].head(GLANCE), split.whole[1].head(GLANCE)
        plain = most_telling(plain, glance, goal, kept=KEPT, trials=trials, alpha=alpha)
    if thorough and split.whole[0].width > 1:
        plain = [*plain, Higher(levels=medians(*split.build))]
    tails = [tail for score in plain if (tail := Tails.of(score, split.whole)) is not None]
    tails += [tail for score in built if (tail := Tails.of(score, split.held)) is not None]
    return promising(tails, goal, trials=trials, alpha=alpha, favoured=plain)


def choose_trees(
    best: Choice | None, split: Split, goal: Goal, *, trials: int, alpha: float, rng: np.random.Generator
) -> Choice | None:
    """`best`, or an event of boosted trees where that promises clearly more; parameters as for `choose`."""
    if split.build[0].width == 1 or split.build[0].size < FEWEST_FOR_TREES:
        return best
    build, held, must_gain = split.build, split.held, TREES_MUST_GAIN
    if best is not None and best.gain > CLEARLY:
        build = build[0].head(CLEARLY_ENOUGH), build[1].head(CLEARLY_ENOUGH)
        held = held[0].head(4 * CLEARLY_ENOUGH), held[1].head(4 * CLEARLY_ENOUGH)
        must_gain = CLEARLY_MORE
    helpers = () if best is None else (best.event.score,)
    tail = Tails.of(trees(*build, helpers, rng=rng), held)
    grown = promising([tail], goal, trials=trials, alpha=alpha) if tail is not None else None
    if grown is None or grown.gain < DISCOUNT or (best is not None and grown.gain <= must_gain * best.gain):
        return best
    return grown


def with_share(choice: Choice, goal: Goal, *, trials: int, alpha: float) -> Choice:
    """The same event with the region's share that serves it best at the expected counts."""
    k1, k2 = int(choice.p * trials), min(int(np.ceil(choice.q * trials)), trials)

    def promise(share: float) -> float:
        region = JointRegion(k1=k1, n1=trials, k2=k2, n2=trials, alpha=alpha, share=share)
        if 1.0 < choice.gain <= 1.5:  # the curve is exceeded, the headline is not
            return excess_lower(region, goal.allowed(choice.direction))
        return measure_lower(region, goal.headline)

    return replace(choice, share=max(SHARES, key=promise))
