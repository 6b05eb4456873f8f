"""Events that are sets of bins, and their expected gain against a claim.

For any claim the most powerful sets of bins are {p > e^epsilon q}, one for each tangent of its curve (Neyman and
Pearson). So the bins are sorted by their log-ratios, and a threshold between two of them corresponds to a tangent. The
expected gain includes the errors of the draws that it is estimated from, and of the later draws. It is no bound.

Pairs and bins are searched by pilots on every candidate pair, more draws on the best few, most on the best one. Every
sample is split: bins are chosen on one half and rated on the other. The bound of the chosen bins comes from new draws.

Bins are parts of the output space. A scalar output (or a counted alphabet) is divided at quantiles of both sides
together, finer in the tails, with a bin for every frequent value. For vectors a score is divided in the same way: a
table of whole rows where there are few of them, a sum of step functions, or a regression. Each bin has its log-ratio on
the sample that defined it. Everything is fixed before the counted draws, so badly chosen bins cost power but not
validity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from auditors.privacy.admission import Contender, contenders, probe
from auditors.privacy.event.cell_lookup import cell_numbers
from auditors.privacy.event.learned import linear, telling_columns
from auditors.privacy.event.scores import Coordinate, Score, sign
from auditors.privacy.event.tables import RUNS_FOR_A_PIECE, Cells, cell_edges, cells, joined_weights, run_edges, table
from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Sample, fresh_counts
from dpverify.core.auditing import Task
from dpverify.core.subjects import Float
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion

CAUTIONS = (3.0, 2.0, 1.0, 0.0)
"""Standard errors by which shares are moved against the event; fewer, with a discount, if no event has a gain.
"""

DISCOUNT = 1e-3


PILOTS = (2**13, 2**16)
FINALISTS = 3
FEWEST = 64
SELECTION = 2**20
NUMBERS = 2**24
"""Most draws a side of the two pilots and of the selection, and most numbers in a sample."""

Plan = TypeVar("Plan")


FINE, COARSE, FEW_COORDINATES = 64, 32, 3
SMOOTHING = 0.5
FEWEST_A_BIN = 8
"""Fewest draws of the defining sample in a quantile bin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """A score cut into bins: bin i is edges[i - 1] <= score < edges[i]."""

    score: Score
    """The score; a coordinate where outputs are scalars."""
    edges: Float
    """Shape (k - 1,): increasing."""
    ratios: Float
    """Shape (k,): log-ratio of d0 to d1 in each bin, estimated on the sample that defined it."""

    def numbers(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The bin of each output, shape (m,)."""
        return cell_numbers(self.score(values), self.edges)

    def counts(self, sample: Sample) -> NDArray[np.int64]:
        """Draws in each bin, shape (k,)."""
        found = np.bincount(self.numbers(sample.values), weights=sample.weights, minlength=self.ratios.size)
        return np.asarray(np.rint(found), dtype=np.int64)

    def text(self, threshold: float, *, above: bool) -> str:
        """The event of all bins whose log-ratio is above the threshold (or not above it), as intervals of numbers."""
        if isinstance(self.score, Coordinate):
            column = 0 if self.score.column is None else self.score.column
            plain = Cells(
                columns=(column,), edges=(self.edges,), steps=(self.ratios,), scalar=self.score.column is None
            )
            return plain.text(threshold, above=above)
        inside = int(((self.ratios > threshold) == above).sum())
        return f"{inside} of {self.ratios.size} bins of a learned score, with log-ratios {sign(above)} {threshold:.6g}"

    def plain(self) -> dict[str, Any]:
        """Score, edges and ratios in full."""
        return {
            "kind": "bins",
            "score": self.score.plain(),
            "edges": self.edges.tolist(),
            "ratios": self.ratios.tolist(),
        }


def choose_bins(sides: tuple[Sample, Sample]) -> list[Bins]:
    """Several choices of bins for the outputs of these samples of d0 and d1; at least one."""
    first, second = sides
    pieces = max(2, min(FINE, (first.size + second.size) // (2 * FEWEST_A_BIN)))
    if first.values.ndim == 1:
        return [_cut(Coordinate(), sides, pieces)]
    scores: list[Score] = [Coordinate(column=column) for column in telling_columns(first, second, FEW_COORDINATES)]
    columns = telling_columns(first, second, COARSE)
    scores.append(cells(first, second, columns, min(COARSE, pieces)))
    if (found := table(first, second)) is not None:
        scores.append(found)
    if first.width > 1 and (regression := linear(first, second)) is not None:
        scores.append(regression)
    return [_cut(score, sides, pieces) for score in scores]


def _cut(score: Score, sides: tuple[Sample, Sample], pieces: int) -> Bins:
    first, second = sides
    values = [score(side.values) for side in sides]
    edges = cell_edges(np.concatenate(values), joined_weights(first, second), pieces)
    if first.weights is None:
        edges = np.union1d(edges, run_edges(*(side[: pieces * RUNS_FOR_A_PIECE] for side in values)))
    bare = Bins(score=score, edges=edges, ratios=np.zeros(edges.size + 1))
    left, right = (bare.counts(side).astype(np.float64) for side in sides)
    return Bins(score=score, edges=edges, ratios=np.log(left + SMOOTHING) - np.log(right + SMOOTHING))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BinEvent:
    """All bins whose log-ratio is above the threshold (or not above it), and the side on which they are more likely."""

    bins: Bins
    threshold: float
    above: bool
    direction: int
    """0 when it is more likely under d0 (P = M(d0)), else 1."""
    inside: NDArray[np.bool_]
    """Shape (k,): its bins."""
    p: float
    q: float
    """`p`, `q`: its shares of the selection draws."""
    share: float = 0.5
    """Share of its region."""

    def region(self, counts: NDArray[np.int64], *, alpha: float) -> JointRegion:
        """The confidence region of its probabilities from the bins' counts, shape (2, k): d0, then d1."""
        first, second = counts[self.direction], counts[1 - self.direction]
        return JointRegion(
            k1=int(first[self.inside].sum()),
            n1=int(first.sum()),
            k2=int(second[self.inside].sum()),
            n2=int(second.sum()),
            alpha=alpha,
            share=self.share,
        )

    def text(self) -> str:
        """A description for people."""
        return self.bins.text(self.threshold, above=self.above)

    def plain(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"threshold": self.threshold, "above": self.above, **self.bins.plain()}


def thresholds(bins: Bins) -> Float:
    """All log-ratios of bins but the largest, increasing, shape (t,)."""
    return np.asarray(np.unique(bins.ratios)[:-1], dtype=np.float64)


def rates(bins: Bins, counts: NDArray[np.int64], levels: Float) -> Float:
    """Shares of d0 and of d1 above each level, shape (2, t)."""
    order = np.argsort(bins.ratios, kind="stable")
    below = np.cumsum(counts[:, order], axis=1)
    place = np.searchsorted(bins.ratios[order], levels, side="right") - 1
    return np.asarray(1.0 - below[:, place] / below[:, -1:], dtype=np.float64)


def choose(
    goal: Goal, bins: Bins, counts: NDArray[np.int64], *, trials: int, alpha: float
) -> RatedPlan[BinEvent] | None:
    """The event of these bins with the largest expected gain for the later draws; None when no event has one."""
    levels = thresholds(bins)
    if levels.size == 0:
        return None
    above, size = rates(bins, counts, levels), int(counts.sum(axis=1).min())
    p = np.stack([above[0], 1.0 - above[0], above[1], 1.0 - above[1]])
    q = p[[2, 3, 0, 1]]
    z = float(-special.ndtri(alpha))
    for step, caution in enumerate(CAUTIONS):
        both = np.sqrt(caution**2 / size + z * z / (2.0 * trials))  # large errors of p and q rarely occur together
        alone = np.sqrt(caution**2 / size + z * z / trials)
        corner = _moved(p, -alone, trials), _moved(q, alone, trials)
        gain = goal.gain(_moved(p, -both, trials), _moved(q, both, trials), corner=corner)
        row, column = divmod(int(np.argmax(gain)), gain.shape[1])
        if gain[row, column] > 0.0:
            event = _event(bins, float(levels[column]), row, float(p[row, column]), float(q[row, column]))
            return RatedPlan(gain=float(gain[row, column]) * DISCOUNT**step, plan=event)
    return None


def with_share(event: BinEvent, gain: float, goal: Goal, *, trials: int, alpha: float) -> BinEvent:
    """The event with the region's share that is best at the expected counts."""
    k1, k2 = round(event.p * trials), round(event.q * trials)
    return replace(event, share=goal.best_share(k1, k2, trials, alpha=alpha, direction=event.direction, gain=gain))


def chosen(task: Task, goal: Goal, *, alpha: float) -> tuple[Found[BinEvent], BinEvent]:
    """The result of the search, and the event to count; one that shows nothing if no event has a gain."""
    found = search(task, partial(choose, goal, trials=task.trials, alpha=alpha))
    if found.rated is None:
        return found, event_above(found.bins, float(found.bins.ratios.min()), 0.5, 0.5)
    return found, with_share(found.rated.plan, found.gain, goal, trials=task.trials, alpha=alpha)


def event_above(bins: Bins, level: float, p: float, q: float) -> BinEvent:
    """The event {log-ratio > level}, more likely under d0."""
    return _event(bins, level, 0, p, q)


def _event(bins: Bins, level: float, row: int, p: float, q: float) -> BinEvent:
    above = row % 2 == 0
    inside = (bins.ratios > level) == above
    return BinEvent(bins=bins, threshold=level, above=above, direction=row // 2, inside=inside, p=p, q=q)


def _moved(rate: Float, z: Float, trials: int) -> Float:
    """A Wilson-like limit: an upper one is never 0, a lower one never 1."""
    spread = z * np.sqrt(rate * (1.0 - rate)) + np.sign(z) * 2.0 / trials
    return np.asarray(np.clip(rate + spread, 0.0, 1.0), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPlan(Generic[Plan]):
    """A plan for counting some bins, with its expected gain."""

    gain: float
    plan: Plan


Rating = Callable[[Bins, NDArray[np.int64]], RatedPlan[Plan] | None]
"""Function from bins and their counts, shape (2, k), on other draws to the best plan; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[Plan]):
    """The best pair, its bins, the plan, and the counts (2, k) that the plan is based on."""

    contender: Contender
    bins: Bins
    counts: NDArray[np.int64]
    rated: RatedPlan[Plan] | None
    looked_at: int

    @property
    def gain(self) -> float:
        """The expected gain of the plan; -1 without one."""
        return -1.0 if self.rated is None else self.rated.gain


def search(task: Task, rating: Rating[Plan]) -> Found[Plan]:
    """The pair and bins with the best plan; AuditError when there is no pair of different neighbours."""
    tried = contenders(task, Contender, draws=8 * FEWEST)
    looked_at, first = len(tried), tried[0].drawer
    probe(task, first)

    def looked(stage: str, size: int) -> list[Found[Plan]]:
        found = [_look(task, stage, contender, size, rating, looked_at) for contender in tried]
        return sorted(found, key=lambda one: -one.gain)

    for stage, most in enumerate(PILOTS):
        kept = (FINALISTS, 1)[stage]
        if len(tried) > kept:
            room = min(task.trials // (4 * len(tried)), NUMBERS // first.width)
            task.progress("screening pairs", 0.15 * stage)
            best = looked(f"pilot {stage}", max(FEWEST, min(most, room)))[:kept]
            tried = [one.contender for one in best]
    task.progress("choosing bins", 0.3)
    room = min(task.trials // 2, NUMBERS // first.width, SELECTION)
    return looked("select", max(2 * FEWEST, room))[0]


def certify(task: Task, found: Found[Plan]) -> NDArray[np.int64]:
    """Count the bins in new draws, shape (2, k): d0, then d1."""
    counts = np.zeros((2, found.bins.ratios.size), dtype=np.int64)
    drawer = found.contender.drawer
    about = [found.bins.plain(), plain_pair(drawer.pair), dict(found.contender.parameters)]
    for so_far, drawn in fresh_counts(task, drawer, drawer.subject, found.bins.counts, about=about):
        counts = so_far
        task.progress("counting bins in fresh draws", 0.5 + 0.25 * drawn / task.trials)
    return counts


def _look(
    task: Task,
    stage: str,
    contender: Contender,
    size: int,
    rating: Rating[Plan],
    looked_at: int,
) -> Found[Plan]:
    """The best bins of one pair on a separate sample."""
    place = contender.place
    sides = contender.drawer.both(size, task.stream, stage, place)
    (first, held_first), (second, held_second) = (
        sample.halves(task.stream(stage, place, "halves", side)) for side, sample in enumerate(sides)
    )
    best: Found[Plan] | None = None
    for bins in choose_bins((first, second)):
        counts = np.stack([bins.counts(held_first), bins.counts(held_second)])
        found = Found(
            contender=contender,
            bins=bins,
            counts=counts,
            rated=rating(bins, counts),
            looked_at=looked_at,
        )
        if best is None or found.gain > best.gain:
            best = found
    assert best is not None
    return best
