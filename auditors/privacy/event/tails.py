"""The tails of a score: its thresholds, and how often each side's draws lie above them.

Thresholds are observed values, evenly spaced by rank and denser towards both ends, where rare events are.

Smoothed ratios are estimates for events that are too rare to be counted yet. A score that estimates the log-likelihood
ratio is calibrated on draws that it was not learned from: a logistic curve of degree two from the score to the odds of
the two sides (after Platt, "Probabilistic outputs for support vector machines", 1999). Averaged over a tail, the curve
gives the ratio of the tail's probabilities, and its error, which grows with the distance from the observed scores. The
counted ratio and that of the curve are then averaged, weighted by precision; where the two contradict each other, only
the counted one is used. Smoothing only ranks events; the bound comes from new draws. It is made for small tails and for
scores in units of a log-ratio; a plain coordinate need not have such a curve, and is never smoothed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from auditors.privacy.event.cell_lookup import cell_counts
from auditors.privacy.event.scores import Score, Scored
from auditors.privacy.outputs import Sample
from dpverify.core.subjects import Float

MOST_THRESHOLDS = 400
SORTED, FEW_SORTED = 2**17, 2**14
"""At most this many scores are sorted for the thresholds; the others are counted between these."""

WIDEST_COUNTED, GLANCE = 1024, 64
"""Integers in this range are counted instead of sorted; a few scores are checked first to see if they are integers."""


STEPS = 8
MIDDLE, REACHES, BETTER = 0.05, (3.0, 2.0, 1.0, 0.5), 4.0
"""Multiples of the range of the middle 90 % of draws beyond which the curve is constant, and a difference.

The first multiple is used unless the log-likelihood of another is larger by this difference. A ratio may be bounded, as
for a sound mechanism; a score beyond its bound is noise.
"""

MISFIT = 0.12
"""Model error of the curve, as a part of its log-ratio; added to the error of the coefficients."""

CONTRADICTS, CLEARLY = 1.5, 1.5
"""Standard errors by which counts may differ from the curve, and by which the curve must differ from no leak.
"""


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


def smoothed_log_ratios(tails: Tails, *, clearly: float = CLEARLY) -> tuple[Float, Float, Float]:
    """Log-ratio of d0's to d1's probability of each event: shape (2, t), above and not above.

    The curve must show a leak by `clearly` standard errors of the counts. The result includes the parts of the variance
    due to the curve and to the counts, since only the counts have a selection bias. NaN where the counts contradict the
    curve, and where there is no curve.
    """
    mass = -np.diff(np.concatenate([np.ones((2, 1)), tails.above, np.zeros((2, 1))], axis=1), axis=1) * tails.size
    nothing = np.full((2, tails.thresholds.size), np.nan)
    if (curve := _curve(np.append(tails.thresholds, tails.largest), mass)) is None:
        return nothing, nothing, nothing
    powers, share, covariance = curve
    total = mass.sum(axis=0)
    first, second, moved = (
        _inside(part) for part in (total * share, total * (1 - share), powers * total * share * (1 - share))
    )
    counted = np.stack([tails.above, 1.0 - tails.above]) * tails.size
    with np.errstate(divide="ignore", invalid="ignore"):
        fitted = np.log(first) - np.log(second)
        slope = moved * (1.0 / first + 1.0 / second)  # derivative of `fitted` by the coefficients, shape (3, 2, t)
        of_fitted = np.einsum("iet,ij,jet->et", slope, covariance, slope) + (MISFIT * fitted) ** 2
        seen = np.log(counted[:, 0] + 0.5) - np.log(counted[:, 1] + 0.5)
        of_seen = 1.0 / (counted[:, 0] + 0.5) + 1.0 / (counted[:, 1] + 0.5)
        line, counts = of_seen / (of_fitted + of_seen), of_fitted / (of_fitted + of_seen)  # weights by precision
        fits = np.abs(seen - fitted) <= CONTRADICTS * np.sqrt(of_fitted + of_seen)
        fits &= np.abs(fitted) >= clearly * np.sqrt(of_seen)
        joined = line * fitted + counts * seen, line**2 * of_fitted, counts**2 * of_seen
        ratio, of_line, of_counts = (np.where(fits, part, np.nan) for part in joined)
        return ratio, of_line, of_counts


def _inside(cells: Float) -> Float:
    """Sums above and not above each threshold, shape (..., 2, t), of values in cells, shape (..., t + 1)."""
    below = np.cumsum(cells, axis=-1)
    return np.stack([below[..., -1:] - below[..., :-1], below[..., :-1]], axis=-2)


def _curve(scores: Float, mass: Float) -> tuple[Float, Float, Float] | None:
    """Powers of the score, d0's share of each cell by maximum likelihood, and the covariance of the coefficients."""
    total = mass.sum(axis=0)
    ends = scores[np.searchsorted(np.cumsum(total), np.array([MIDDLE, 1.0 - MIDDLE]) * total.sum())]
    if not ends[1] > ends[0]:
        return None
    x = (2.0 * scores - ends.sum()) / (ends[1] - ends[0])
    best: tuple[float, tuple[Float, Float, Float]] | None = None
    for reach in REACHES:
        fitted = _fitted(np.clip(x, -reach, reach), mass)
        if fitted is not None and (best is None or fitted[0] > best[0] + BETTER):
            best = fitted
    return None if best is None else best[1]


def _fitted(x: Float, mass: Float) -> tuple[float, tuple[Float, Float, Float]] | None:
    """The log-likelihood of the best curve in x, and the values that `_curve` returns."""
    total = mass.sum(axis=0)
    powers = np.stack([np.ones_like(x), x, x * x])
    coefficients = np.zeros(3)
    for _ in range(STEPS):
        share = special.expit(coefficients @ powers)
        information = (powers * (total * share * (1.0 - share))) @ powers.T
        if not np.linalg.cond(information) < 1e10:
            return None
        coefficients = coefficients + np.linalg.solve(information, powers @ (mass[0] - total * share))
    if not np.isfinite(coefficients).all():
        return None
    share = special.expit(coefficients @ powers)
    likelihood = float(np.sum(special.xlogy(mass[0], share) + special.xlogy(mass[1], 1.0 - share)))
    return likelihood, (powers, share, np.linalg.inv(information))
