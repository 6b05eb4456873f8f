"""Looks at two samples of scores: counted events, each with a region of (p, q) at a part of the error probability.

Scores are first replaced by ranks in the pooled sample, with ties in random order. This is an attack as well (its score
is the pair of score and random number), so its bound holds for the mechanism; and no two ranks are equal.

`rank_looks` (all thresholds at once): thresholds are the 1st, 2nd, 4th, 8th ... most extreme score of one sample, whose
positions are fixed in advance. Let T be the j-th largest of n scores Y ~ Q, and q = Q(score > T). Given nothing, q is
stochastically at most Beta(j, n + 1 - j), so U2 = P[Bin(n, q) <= j - 1] is super-uniform although T comes from Y
itself; given Y, the number of X > T is Bin(m, p) with p = P(score > T), so U1 is super-uniform too, whatever U2 was.
The joint region of `dpverify.stats.joint` needs no more. Each position, tail and direction gets an even part of the
error (Bonferroni); no scores are set aside for choosing a threshold.

`split_looks` (cross-fitted): random halves; a threshold chosen on each is counted on the other, at half the error each.

`fixed_looks`: one threshold named before the scores were seen, both directions at half the error.

The largest bound over all observed thresholds, each at the whole error, is invalid: over tails and directions it errs
three times as often as stated at 10^4 scores (0.15 instead of 0.05 for Laplace noise at its claim).

Scores are recorded ones, or those of a subject that draws single numbers. A sampled subject is drawn on one pair, the
first of the claim's neighbours. For one-run audits each canary is a separate run on d1 ("in") or d0, by a fair coin;
together they are one mechanism with many coins, to which the theorems apply. Separate draws decide whether high or low
scores mean "in".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event_bounds import Goal, value
from auditors.search_boxes import candidate_pairs
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float, HasCanaries, HasScores, Pair, capabilities
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from dpverify.stats.joint import JointRegion
from dpverify.stats.multiplicity import bonferroni_share

RATIO = 2
"""Ratio between consecutive positions.

For normal scores, 200 to 10^4 a side, ratios from 1.25 to 4 differ by 0.1 in epsilon, and all are better than both
splits at confidence 0.999.
"""

SHARES = {"log": 0.3, "probit": 0.5}
"""The region's share by the goal's scale: epsilon needs a precise small q."""

SIDES = ("in", "out")

THRESHOLDS = 400
"""Number of thresholds that a split tries on its selection half."""


PILOT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One counted event: k1 of n1 on the side where it should be more likely, k2 of n2 on the other.

    `direction` is 0 when that side is D; the event is a score above (or below) `threshold`.
    """

    direction: int
    above: bool
    threshold: float
    k1: int
    n1: int
    k2: int
    n2: int
    alpha: float
    share: float

    def region(self) -> JointRegion:
        """The confidence region of (p, q)."""
        return JointRegion(k1=self.k1, n1=self.n1, k2=self.k2, n2=self.n2, alpha=self.alpha, share=self.share)

    def text(self) -> str:
        """``score > 1.5``."""
        return f"score {'>' if self.above else '<'} {self.threshold:.6g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedEvent:
    """A counted event that was not chosen by these scores: `inside` of `n_in`, `outside` of `n_out`."""

    event: str
    inside: int
    n_in: int
    outside: int
    n_out: int

    def rates(self) -> Float:
        """The event's shares, shape (2,), at least half a count away from 0 and 1."""
        sizes = np.array([self.n_in, self.n_out], dtype=np.float64)
        return np.asarray(np.clip(np.array([self.inside, self.outside]), 0.5, sizes - 0.5) / sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Two samples as sorted ranks without ties, and the scores of the ranks."""

    sides: tuple[NDArray[np.int64], NDArray[np.int64]]
    pooled: Float

    @classmethod
    def of(cls, first: Float, second: Float, *, rng: np.random.Generator) -> Scores:
        """Ranks from 0 in the pooled sample, ties in random order."""
        pooled = np.concatenate([first, second])
        order = np.lexsort((rng.random(pooled.size), pooled))
        ranks = np.empty(pooled.size, dtype=np.int64)
        ranks[order] = np.arange(pooled.size)
        return cls(sides=(np.sort(ranks[: first.size]), np.sort(ranks[first.size :])), pooled=pooled[order])

    def halves(self, rng: np.random.Generator) -> tuple[Scores, Scores]:
        """Both samples split at random, into parts whose sizes differ by at most one."""
        cuts = [np.array_split(rng.permutation(side), 2) for side in self.sides]
        parts = [replace(self, sides=(np.sort(cuts[0][i]), np.sort(cuts[1][i]))) for i in (0, 1)]
        return parts[0], parts[1]

    def beyond(self, side: int, rank: float, *, above: bool) -> int:
        """Number of a side's ranks above (below) this one."""
        ranks = self.sides[side]
        if above:
            return int(ranks.size - np.searchsorted(ranks, rank, side="right"))
        return int(np.searchsorted(ranks, rank, side="left"))


def positions(size: int) -> list[int]:
    """1, 2, 4 ... up to half of the sample."""
    return [RATIO**power for power in range(max(1, math.ceil(size / 2)).bit_length())]


def rank_tests(sizes: tuple[int, int]) -> int:
    """Number of looks of `rank_looks`: positions of both samples, from both ends."""
    return 2 * sum(len(positions(size)) for size in sizes)


def rank_looks(scores: Scores, goal: Goal, *, alpha: float) -> Iterator[Look]:
    """Every position of either sample, from either end."""
    sizes = scores.sides[0].size, scores.sides[1].size
    share = bonferroni_share(alpha, tests=rank_tests(sizes))
    for direction in (0, 1):
        other = scores.sides[1 - direction]
        for above in (True, False):
            for position in positions(other.size):
                rank = int(other[-position] if above else other[position - 1])
                yield Look(
                    direction=direction,
                    above=above,
                    threshold=float(scores.pooled[rank]),
                    k1=scores.beyond(direction, rank, above=above),
                    n1=sizes[direction],
                    k2=position - 1,
                    n2=sizes[1 - direction],
                    alpha=share,
                    share=SHARES[goal.scale],
                )


def split_looks(scores: Scores, goal: Goal, *, alpha: float, rng: np.random.Generator) -> Iterator[Look]:
    """The best threshold on each half, counted on the other."""
    if min(side.size for side in scores.sides) < 2:
        raise InputError("a split of fewer than two scores a side", allowed="two scores a side or more")
    parts = scores.halves(rng)
    share = bonferroni_share(alpha, tests=2)
    for chosen_on, counted_on in (parts, parts[::-1]):
        direction, above, rank = _best_looking(chosen_on, goal, sizes=counted_on, alpha=share)
        yield Look(
            direction=direction,
            above=above,
            threshold=float(scores.pooled[int(rank)]),
            k1=counted_on.beyond(direction, rank, above=above),
            n1=counted_on.sides[direction].size,
            k2=counted_on.beyond(1 - direction, rank, above=above),
            n2=counted_on.sides[1 - direction].size,
            alpha=share,
            share=SHARES[goal.scale],
        )


def median_event(scores: Scores) -> FixedEvent:
    """The upper half of all scores together; its position is fixed before the scores are seen."""
    ranks = scores.pooled.size // 2 - 0.5
    first, second = (scores.beyond(side, ranks, above=True) for side in (0, 1))
    return FixedEvent(
        event="score in the upper half of all",
        inside=first,
        n_in=scores.sides[0].size,
        outside=second,
        n_out=scores.sides[1].size,
    )


def fixed_looks(first: Float, second: Float, goal: Goal, *, threshold: float, alpha: float) -> Iterator[Look]:
    """Looks at a given threshold; its complement has the same regions."""
    sides, share = (first, second), bonferroni_share(alpha, tests=2)
    for direction in (0, 1):
        yield Look(
            direction=direction,
            above=True,
            threshold=threshold,
            k1=int(np.count_nonzero(sides[direction] > threshold)),
            n1=sides[direction].size,
            k2=int(np.count_nonzero(sides[1 - direction] > threshold)),
            n2=sides[1 - direction].size,
            alpha=share,
            share=SHARES[goal.scale],
        )


def expected_gain(goal: Goal, k1: Float, n1: int, k2: Float, n2: int, *, direction: int, alpha: float) -> Float:
    """Expected gain of looks by separate limits of p and q; above 1 the claim is exceeded. Only for choosing."""
    p = clopper_pearson_lower(k1.astype(np.int64), n1, alpha=alpha / 2)
    q = clopper_pearson_upper(k2.astype(np.int64), n2, alpha=alpha / 2)
    found = value(goal.headline, p, q)
    claimed = goal.headline.claimed
    with np.errstate(over="ignore"):
        head = found / claimed if claimed > 0 else np.where(found > 0, 1.0 + found, 0.0)
    beyond = p - goal.allowed(direction)(q)
    return np.maximum(head, np.where(beyond > 0, 1.0 + beyond, 0.0)) + 1e-9 * (p - q)


def _best_looking(part: Scores, goal: Goal, *, sizes: Scores, alpha: float) -> tuple[int, bool, float]:
    """Direction, tail and rank of the threshold with the largest expected gain on the other half."""
    ranks = np.concatenate(part.sides)
    ranks.sort()
    ranks = ranks[np.unique(np.linspace(0, ranks.size - 1, min(ranks.size, THRESHOLDS)).round().astype(np.int64))]
    best: tuple[float, int, bool, float] = (-math.inf, 0, True, float(ranks[ranks.size // 2]))
    for direction in (0, 1):
        n1, n2 = sizes.sides[direction].size, sizes.sides[1 - direction].size
        for above in (True, False):
            counts = [np.array([part.beyond(side, rank, above=above) for rank in ranks]) for side in (0, 1)]
            p = counts[direction] / part.sides[direction].size
            q = counts[1 - direction] / part.sides[1 - direction].size
            k1, k2 = np.floor(p * n1), np.minimum(np.ceil(q * n2 + 0.5), n2)
            gains = expected_gain(goal, k1, n1, k2, n2, direction=direction, alpha=alpha)
            place = int(np.argmax(gains))
            if gains[place] > best[0]:
                best = float(gains[place]), direction, above, float(ranks[place])
    return best[1:]


def lacks_scores(task: Task, recorded: type) -> str | None:
    """None when the subject has scores of the `recorded` kind or draws single numbers, else the reason."""
    subject = task.build()
    if isinstance(subject, recorded):
        return None
    if "sample" not in capabilities(subject):
        return "the subject has neither scores of an attack nor samples"
    drawn = np.asarray(subject.sample(_pair(task).d0, 2, rng=task.stream("probe")))
    return None if drawn.ndim == 1 and drawn.dtype.kind in "biuf" else "the subject's outputs are no single numbers"


def drawn_scores(task: Task) -> tuple[Float, Float]:
    """Scores on D and on D'."""
    subject = task.build()
    if isinstance(subject, HasScores):
        return subject.scores(rng=task.stream("scores"))
    pair = _pair(task)
    first, second = (
        _numbers(subject.sample(data, task.trials, rng=task.stream("scores", side)))
        for side, data in enumerate((pair.d0, pair.d1))
    )
    return first, second


def drawn_run(task: Task) -> tuple[Float, NDArray[np.int64], int]:
    """Scores of one training's canaries, their values, and how many values there are."""
    subject = task.build()
    if isinstance(subject, HasCanaries):
        scores, included = subject.canary_run(rng=task.stream("training"))
        return np.asarray(scores, dtype=np.float64), np.asarray(included, dtype=np.int64), subject.values
    pair = _pair(task)
    sides = (pair.d0, pair.d1)
    pilot = [
        np.median(_numbers(subject.sample(data, PILOT, rng=task.stream("pilot", side))))
        for side, data in enumerate(sides)
    ]
    sign = -1.0 if pilot[1] < pilot[0] else 1.0
    included = task.stream("coins").integers(0, 2, size=task.trials)
    scores = np.empty(task.trials)
    for side, data in enumerate(sides):
        here = included == side
        if here.any():
            scores[here] = sign * _numbers(
                subject.sample(data, int(np.count_nonzero(here)), rng=task.stream("training", side))
            )
    return scores, included, 2


def _pair(task: Task) -> Pair:
    return candidate_pairs(task, 1)[0]


def _numbers(outputs: NDArray[Any]) -> Float:
    return np.asarray(outputs, dtype=np.float64)
