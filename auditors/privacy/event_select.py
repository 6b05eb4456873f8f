"""Choosing one event and one direction: those that promise the best certified bound at the number of trials to come.

Scores are built on one half of the selection draws and their thresholds are tried on the other half. What counts is
the bound that the final trials would give, not the plug-in ratio: far out in a tail the ratio looks best and is known
worst, so each probability is first made cautious for the draws that it was estimated from, then for those to come.

Nothing here bounds anything: whatever is chosen, its bound comes from fresh draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from auditors.privacy.event_bounds import Goal, Scale, measure_lower
from auditors.privacy.event_learned import linear, telling_columns, trees
from auditors.privacy.event_outputs import Sample
from auditors.privacy.event_scores import Coordinate, Event, Higher, Score, statistics_of
from auditors.privacy.event_tables import cells, frequent, medians, table
from dpverify.core.protocols import Float
from dpverify.stats.joint import JointRegion
from dpverify.stats.refute import excess_lower

CAUTIONS = (3.0, 2.0, 1.0)
DISCOUNT = 1e-3
"""Standard errors that what was estimated on the choosing half is moved by before it is believed. Hundreds of events
are compared, and the luckiest of them would win otherwise: one far out in a tail, whose ratio is known worst."""

MUST_GAIN = 1.005
"""A learned event is taken only where it promises this many times as much as a half-line of something plain."""

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MOST_THRESHOLDS = 400
COORDINATES, FEW_COORDINATES = 16, 3
TREES_MUST_GAIN = 1.03
"""Trees are slow to apply: they are chosen only where they promise this many times as much."""

FEWEST_FOR_TREES = 2000
CLEARLY = 1.65
"""No trees where a gain is above this already: the headline is exceeded by 15 %, caution included."""

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
    def of(cls, sides: Sequence[Sample], *, rng: np.random.Generator) -> Split:
        """Two halves of samples of one size."""
        (first, later_first), (second, later_second) = (side.halves(rng) for side in sides)
        return cls(build=(first, second), held=(later_first, later_second), whole=(sides[0], sides[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An event with its direction (0: likelier under d0), cautious probabilities, expected gain and region's share."""

    event: Event
    direction: int
    p: float
    q: float
    gain: float
    share: float = 0.5


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
        plain = _most_telling(plain, split.whole, goal, trials=trials, alpha=alpha)
    if thorough and split.whole[0].width > 1:
        plain = [*plain, Higher(levels=medians(*split.build))]
    tails = [tail for score in plain if (tail := Tails.of(score, split.whole)) is not None]
    tails += [tail for score in built if (tail := Tails.of(score, split.held)) is not None]
    return promising(tails, goal, trials=trials, alpha=alpha, favoured=plain)


def choose_trees(
    best: Choice | None, split: Split, goal: Goal, *, trials: int, alpha: float, rng: np.random.Generator
) -> Choice | None:
    """`best`, or an event of boosted trees where that promises clearly more; parameters as for `choose`."""
    small = split.build[0].width == 1 or split.build[0].size < FEWEST_FOR_TREES
    if small or (best is not None and best.gain > CLEARLY):
        return best
    helpers = () if best is None else (best.event.score,)
    tail = Tails.of(trees(*split.build, helpers, rng=rng), split.held)
    grown = promising([tail], goal, trials=trials, alpha=alpha) if tail is not None else None
    if grown is None or grown.gain < DISCOUNT or (best is not None and grown.gain <= TREES_MUST_GAIN * best.gain):
        return best
    return grown


def promising(
    tails: Sequence[Tails], goal: Goal, *, trials: int, alpha: float, favoured: Sequence[Score] = ()
) -> Choice | None:
    """The event that promises most, with a little grace for the `favoured` scores; None when none promises anything.

    Believed with less and less caution when nothing stands out: then the luckiest event is as good a guess as any, and
    its gain is discounted so that an event which does stand out ranks before it.
    """
    if not tails:
        return None
    grace = np.concatenate(
        [np.full(tail.thresholds.size, MUST_GAIN if tail.score in favoured else 1.0) for tail in tails]
    )
    for level, (p, q, gain) in enumerate(_gains(tails, goal, trials=trials, alpha=alpha)):
        row, column = divmod(int(np.argmax(gain * grace)), gain.shape[1])
        if not gain[row, column] > 0.0:
            continue
        ends = np.cumsum([tail.thresholds.size for tail in tails])
        place = int(np.searchsorted(ends, column, side="right"))
        tail = tails[place]
        threshold = float(tail.thresholds[column - (ends[place] - tail.thresholds.size)])
        return Choice(
            event=Event(score=tail.score, threshold=threshold, above=row % 2 == 0),
            direction=row // 2,
            p=float(p[row, column]),
            q=float(q[row, column]),
            gain=float(gain[row, column]) * DISCOUNT**level,
        )
    return None


def _gains(tails: Sequence[Tails], goal: Goal, *, trials: int, alpha: float) -> Iterator[tuple[Float, Float, Float]]:
    """With less and less caution: cautious p and q and the gain, shapes (4, t), over all tails' thresholds in a row."""
    z = float(-special.ndtri(alpha))
    above = np.concatenate([tail.above for tail in tails], axis=1)
    n = np.concatenate([np.full(tail.thresholds.size, float(tail.size)) for tail in tails])
    seen_p = np.stack([above[0], 1.0 - above[0], above[1], 1.0 - above[1]])
    seen_q = seen_p[[2, 3, 0, 1]]
    for caution in CAUTIONS:
        corner = _wilson(_wilson(seen_p, n, -caution), trials, -z), _wilson(_wilson(seen_q, n, caution), trials, z)
        p, q = cautious(seen_p, seen_q, n, n, z=caution, scale=goal.scale)
        yield p, q, goal.gain(*cautious(p, q, trials, trials, z=z, scale=goal.scale), corner=corner)


def _most_telling(
    scores: Sequence[Score], sides: tuple[Sample, Sample], goal: Goal, *, trials: int, alpha: float
) -> list[Score]:
    """The scores whose events promise most on the first of the draws, in their own order."""
    glance = sides[0].head(GLANCE), sides[1].head(GLANCE)
    tails = [tail for score in scores if (tail := Tails.of(score, glance)) is not None]
    if len(tails) <= KEPT:
        return [tail.score for tail in tails]
    starts = np.cumsum([0, *(tail.thresholds.size for tail in tails[:-1])])
    best = [
        np.maximum.reduceat(gain.max(axis=0), starts) for _, _, gain in _gains(tails, goal, trials=trials, alpha=alpha)
    ]
    order = np.lexsort([*reversed([-level for level in best])])  # by the most cautious promise first
    return [tails[i].score for i in sorted(order[:KEPT].tolist())]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tails:
    """A score's thresholds, shape (t,), and the shares of both sides' draws above them, shape (2, t)."""

    score: Score
    thresholds: Float
    above: Float
    size: int

    @classmethod
    def of(cls, score: Score, sides: tuple[Sample, Sample]) -> Tails | None:
        """The tails on these samples of d0 and d1, which have one size; None for a score that is constant."""
        scored = [_sorted(score(side.values), side.weights) for side in sides]
        points = np.unique(np.concatenate([_spread(values) for values, _ in scored]))[:-1]  # none is above the largest
        if points.size == 0:
            return None
        rates = [1.0 - below[np.searchsorted(values, points, side="right")] / below[-1] for values, below in scored]
        return cls(score=score, thresholds=points, above=np.stack(rates), size=sides[0].size)

    def rates(self) -> Float:
        """Shares of the four kinds of event, shape (4, t): above and not above on d0, then the same on d1."""
        return np.stack([self.above[0], 1.0 - self.above[0], self.above[1], 1.0 - self.above[1]])


def cautious(p: Float, q: Float, n1: ArrayLike, n2: ArrayLike, *, z: float, scale: Scale) -> tuple[Float, Float]:
    """p lowered and q raised by Wilson limits, together by z standard errors of the difference on the given scale."""
    n1, n2 = np.asarray(n1, dtype=np.float64), np.asarray(n2, dtype=np.float64)
    of_p, of_q = _variance(p, n1, scale), _variance(q, n2, scale)
    total = of_p + of_q
    return _wilson(p, n1, -z * np.sqrt(of_p / total)), _wilson(q, n2, z * np.sqrt(of_q / total))


def _variance(rate: Float, n: Float, scale: Scale) -> Float:
    """Variance of an estimated probability's logarithm or probit; finite at 0 and 1."""
    inside = np.clip(rate, 1.0 / n, 1.0 - 1.0 / n)
    if scale == "log":
        return np.asarray((1.0 - inside) / (n * inside), dtype=np.float64)
    density = np.exp(-0.5 * special.ndtri(inside) ** 2) / np.sqrt(2.0 * np.pi)
    return np.asarray(inside * (1.0 - inside) / (n * density**2), dtype=np.float64)


def _wilson(rate: Float, n: Float | int, z: ArrayLike) -> Float:
    z = np.asarray(z, dtype=np.float64)
    middle = rate + z * z / (2 * n)
    spread = z * np.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n))
    return np.asarray(np.clip((middle + spread) / (1.0 + z * z / n), 0.0, 1.0), dtype=np.float64)


def _spread(ordered: Float) -> Float:
    """Some of these values: evenly by rank, and ever denser towards both ends."""
    if ordered.size <= MOST_THRESHOLDS:
        return ordered
    return np.asarray(ordered[_ranks(ordered.size)], dtype=np.float64)


@lru_cache(maxsize=64)
def _ranks(size: int) -> NDArray[np.int64]:
    ends = np.unique(np.geomspace(1, size, MOST_THRESHOLDS // 4).astype(np.int64)) - 1
    even = np.linspace(0, size - 1, MOST_THRESHOLDS // 2).astype(np.int64)
    return np.unique(np.concatenate([ends, even, size - 1 - ends]))


def _sorted(scores: Float, weights: NDArray[np.int64] | None) -> tuple[Float, Float]:
    """Scores in order, and how many draws lie among the first i of them, shape (m + 1,)."""
    if weights is None:
        return np.sort(scores), np.arange(scores.size + 1, dtype=np.float64)
    order = np.argsort(scores, kind="stable")
    return scores[order], np.concatenate([[0.0], np.cumsum(weights[order], dtype=np.float64)])


def with_share(choice: Choice, goal: Goal, *, trials: int, alpha: float) -> Choice:
    """The same event with the region's share that serves it best at the expected counts."""
    k1, k2 = int(choice.p * trials), min(int(np.ceil(choice.q * trials)), trials)

    def promise(share: float) -> float:
        region = JointRegion(k1=k1, n1=trials, k2=k2, n2=trials, alpha=alpha, share=share)
        if 1.0 < choice.gain <= 1.5:  # the curve is exceeded, the headline is not
            return excess_lower(region, goal.allowed(choice.direction))
        return measure_lower(region, goal.headline)

    return replace(choice, share=max(SHARES, key=promise))
