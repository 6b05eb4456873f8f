"""Looks for the pair on which the claim fares worst, on draws that no verdict rests on.

Listed pairs are looked at first, then, with many draws, a few points of the pairs' box. Among pairs that look equally
bad the plainest is taken, for it is the witness that people read. A pair on which the mechanism raises is passed over
and counted: whether such data are allowed is not known here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from auditors.candidate_pairs import no_pairs
from auditors.privacy.event_bounds import Goal
from auditors.privacy.gate.levels import Draws
from auditors.privacy.search.pilots import PilotResult, Pilots
from dpverify.adapters.dependence import DependentError
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float, Pair
from dpverify.testing.search_points import Point

NEARLY = 0.9
"""A plainer pair is taken where its score is this share of the worst one's."""


@dataclass(slots=True)
class Explored:
    """What the search saw.

    Attributes
    ----------
    pair : Pair
        The one to certify.
    look : PilotResult
        What its pilots say.
    others : list of Pair
        Those that look less bad, the worst of them first.
    looked_at, raised : int
        Pairs that were looked at, and those of them on which the mechanism raised.
    """

    pair: Pair
    look: PilotResult
    others: list[Pair] = field(default_factory=list)
    looked_at: int = 0
    raised: int = 0


@dataclass(slots=True)
class _Scores:
    """Scores of pairs; 0 where the mechanism raised."""

    pilots: Pilots
    raised: int = 0
    problem: InputError | None = None
    good: list[tuple[Pair, PilotResult]] = field(default_factory=list)

    def score(self, point: Point) -> float:
        """Of the pair; -1 where the mechanism raised."""
        try:
            look = self.pilots.look(point)
        except DependentError:
            raise
        except InputError as problem:
            self.raised, self.problem = self.raised + 1, self.problem or problem
            return -1.0
        self.good.append((point.pair, look))
        return look.score if math.isfinite(look.score) else 0.0


def _somewhere(box: Float, coins: np.random.Generator) -> Float:
    """A point of the box, shape (k, 2): each coordinate is a plain value (0, an end, the middle) or any number."""
    low, high = box.T
    plain = np.stack([np.clip(0.0, low, high), low, high, (low + high) / 2.0])
    choice = coins.integers(2 * len(plain), size=low.size)
    anywhere = coins.uniform(low, high)
    return np.asarray(np.where(choice < len(plain), plain[choice % len(plain), np.arange(low.size)], anywhere))


def explore(task: Task, goal: Goal, draws: Draws) -> Explored:
    """The pair that looks worst, the plainest of those that look nearly as bad.

    Raises
    ------
    InputError
        What the mechanism raised, where it raised on every pair.
    AuditError
        When there are no two different neighbours.
    """
    listed = task.neighbors.candidates(task.claim.space, limit=draws.pairs, rng=task.stream("pairs"))
    if not listed:
        raise no_pairs(task, task.claim.space)
    scores = _Scores(pilots=Pilots(task=task, goal=goal, size=draws.look))
    for place, pair in enumerate(listed):
        task.progress("looking for the worst pair", place / len(listed))
        scores.score(Point(pair=pair))
    box = task.neighbors.box(task.claim.space) if draws.box and scores.good else None
    if box is not None:
        coins = task.stream("box")
        for _ in range(draws.box):
            vector = _somewhere(np.array(box, dtype=np.float64), coins)
            scores.score(Point(pair=task.neighbors.decode(task.claim.space, vector)))
    if not scores.good:
        assert scores.problem is not None  # every pair has one or the other
        raise scores.problem
    worst = max(look.score for _, look in scores.good)
    pair, look = next((pair, look) for pair, look in scores.good if look.score >= NEARLY * worst)
    others = [other for other, _ in sorted(scores.good, key=lambda each: -each[1].score) if other is not pair]
    looked_at = len(scores.good) + scores.raised
    return Explored(pair=pair, look=look, others=others, looked_at=looked_at, raised=scores.raised)
