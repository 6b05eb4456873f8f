"""The tails of a score: its thresholds, and how often each side's draws lie above them.

Thresholds are observed values, evenly spaced by rank and denser towards both ends, where rare events are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event.cell_lookup import cell_counts
from auditors.privacy.event.scores import Score, Scored
from auditors.privacy.outputs import Sample
from dpverify.core.subjects import Float

MOST_THRESHOLDS = 400
SORTED, FEW_SORTED = 2**17, 2**14
"""At most this many scores are sorted for the thresholds; the others are counted between these."""

WIDEST_COUNTED, GLANCE = 1024, 64
"""Integers in this range are counted instead of sorted; a few scores are checked first to see if they are integers."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tails:
    """A score's thresholds, shape (t,), and the shares of both sides' draws above them, shape (2, t).

    `learned` is True when the score is an estimated log-ratio, so that its rare tails may be smoothed; `largest` is the
    largest observed score.
    """

    score: Score
    thresholds: Float
    above: Float
    size: int
    largest: float
    learned: bool = False

    @classmethod
    def of(
        cls, score: Score, sides: tuple[Sample, Sample], *, learned: bool = False, most: int = SORTED
    ) -> Tails | None:
        """The tails on these samples of d0 and d1, which have the same size; None for a constant score."""
        if sides[0].weights is None and sides[0].size > most:
            return cls._counted(score, sides, learned=learned, most=most)
        scored = [_sorted(score(side.values), side.weights) for side in sides]
        points = np.unique(np.concatenate([_spread(values) for values, _ in scored]))
        points, largest = points[:-1], float(points[-1])  # none is above the largest
        if points.size == 0:
            return None
        rates = [1.0 - below[np.searchsorted(values, points, side="right")] / below[-1] for values, below in scored]
        above = np.stack(rates)
        return cls(score=score, thresholds=points, above=above, size=sides[0].size, largest=largest, learned=learned)

    @classmethod
    def _counted(cls, score: Score, sides: tuple[Sample, Sample], *, learned: bool, most: int) -> Tails | None:
        """The tails at thresholds from the first draws: these are sorted, and all draws are counted."""
        scored = [score(side.values) for side in sides]
        first = in_order(np.concatenate([values[: most // 2] for values in scored]))
        points, largest = np.unique(_spread(first)), max(float(values.max()) for values in scored)
        points = points[points < largest]  # none is above the largest
        if points.size == 0:
            return None
        above = np.stack([_above(values, None, points) for values in scored]) / sides[0].size
        return cls(score=score, thresholds=points, above=above, size=sides[0].size, largest=largest, learned=learned)

    def hits(self, sample: Sample, scored: Scored | None = None) -> NDArray[np.int64]:
        """Number of draws above each threshold, shape (t,); `scored` may have their scores already."""
        scores = self.score(sample.values) if scored is None else scored.of(self.score)
        return _above(scores, sample.weights, self.thresholds)

    def again(self, hits: NDArray[np.int64], size: int) -> Tails:
        """The same events with the counts of other draws, `hits` of shape (2, t) among `size` a side."""
        return replace(self, above=hits / size, size=size)

    def rates(self) -> Float:
        """Shares of the four kinds of events, shape (4, t): above and not above on d0, then on d1."""
        return np.stack([self.above[0], 1.0 - self.above[0], self.above[1], 1.0 - self.above[1]])


def _above(scores: Float, weights: NDArray[np.int64] | None, thresholds: Float) -> NDArray[np.int64]:
    """Number of draws above each of the increasing thresholds."""
    edges = np.nextafter(thresholds, np.inf)
    if weights is None:
        within = cell_counts(scores, edges)
    else:
        within = np.zeros(edges.size + 1, dtype=np.int64)
        np.add.at(within, np.searchsorted(edges, scores, side="right"), weights)
    return np.cumsum(within[:0:-1])[::-1]


def _spread(ordered: Float) -> Float:
    """Some of these values: evenly spaced by rank, and denser towards both ends."""
    if ordered.size <= MOST_THRESHOLDS:
        return ordered
    return np.asarray(ordered[_ranks(ordered.size)], dtype=np.float64)


@lru_cache(maxsize=64)
def _ranks(size: int) -> NDArray[np.int64]:
    ends = np.unique(np.geomspace(1, size, MOST_THRESHOLDS // 4).astype(np.int64)) - 1
    even = np.linspace(0, size - 1, MOST_THRESHOLDS // 2).astype(np.int64)
    return np.unique(np.concatenate([ends, even, size - 1 - ends]))


def in_order(scores: Float) -> Float:
    """``numpy.sort``, by counting where all scores are integers in a small range (indices, numbers of answers)."""
    low, high = float(scores.min()), float(scores.max())
    if high - low > WIDEST_COUNTED or not (_whole(scores[:GLANCE]) and _whole(scores)):
        return np.sort(scores)
    counts = np.bincount((scores - low).astype(np.int64))
    return np.repeat(low + np.arange(counts.size), counts)


def _whole(scores: Float) -> bool:
    return bool((scores == np.floor(scores)).all())


def _sorted(scores: Float, weights: NDArray[np.int64] | None) -> tuple[Float, Float]:
    """Sorted scores, and the number of draws among the first i of them, shape (m + 1,)."""
    if weights is None:
        return in_order(scores), np.arange(scores.size + 1, dtype=np.float64)
    order = np.argsort(scores, kind="stable")
    return scores[order], np.concatenate([[0.0], np.cumsum(weights[order], dtype=np.float64)])
