"""A second look, where nothing is decided: with more draws than the closer look, at the chosen pair and at another.

A leak that shows in one output of two hundred is invisible in the few thousand draws that common events need. So events
are built once more, on one half of these draws, and looked at on the other: exact values that one side alone repeats
(a text that holds numbers of the data is one), single values and ranges of every column, and the events of the closer
look. None of these draws counts for the verdict: the event that is chosen is counted on fresh draws, with a share of
the false-alarm probability that was put aside before the first draw.

Limits: a value that occurs fewer than about seven times in a half is passed over.

Looks for the pair on which the claim fares worst, on draws that no verdict rests on.

Listed pairs are looked at first, then, with many draws, a few points of the pairs' box. Among pairs that look equally
bad the plainest is taken, for it is the witness that people read. A pair on which the mechanism raises is passed over
and counted: whether such data are allowed is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np

from auditors.privacy.admission import probe
from auditors.privacy.event.auditor import Contender, EventAuditor, SingleValues
from auditors.privacy.event.expected_gain import Choice, wilson
from auditors.privacy.event.scores import Event
from auditors.privacy.event.select import Split, choose, simple_scores, with_share
from auditors.privacy.event.tails import Tails
from auditors.privacy.event_bounds import Goal
from auditors.privacy.gate.closer_look import NUMBERS, repeated
from auditors.privacy.gate.sought import Draws, draws_alone
from auditors.privacy.outputs import Drawer, fresh_counts
from auditors.privacy.sampled_evidence import event_evidence, pair_witness
from auditors.privacy.search.pilots import PilotResult, Pilots
from auditors.search_boxes import no_pairs
from dpverify.adapters.dependence import DependentError
from dpverify.core.auditing import Auditor, Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Float, Pair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion
from dpverify.testing.search_points import Point

SUSPECT = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0)
"""Standard errors by which both rates of an event exceed the claim; below the first it is not counted."""

TRIED = 8
"""Clearest events of a pair of which it is asked how many draws would refute by them."""

PAIRS = 2

SEEN = 5
"""Times the draws of a half: as many draws that count a leak find what the look does, and no rarer one."""


NEARLY = 0.9
"""A plainer pair is taken where its score is this share of the worst one's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """What the look saw: the pair, and the event to count (or None) in `trials` draws; `half` are those of a half."""

    pair: Pair
    choice: Choice | None = None
    trials: int = 0
    half: int = 0


def second_look(task: Task, goal: Goal, pairs: list[Pair], *, draws: int, rare: bool) -> Second:
    """The event to count: the one that would refute with the fewest draws; without `rare`, the most telling one.

    `task`: its trials (the most that there are) and level are those of the later count. `draws`: a side, shared by the
    pairs.
    """
    found: list[tuple[float, Second]] = []
    for place, pair in enumerate(pairs):
        drawer = Drawer(task.build(), pair)
        probe(replace(task, stream=partial(task.stream, place)), drawer)
        size = max(min(draws // len(pairs), NUMBERS // drawer.width), 2)
        sides = drawer.both(size, task.stream, "draws", place)
        split = Split.of(sides, rng=task.stream("split", place))
        seen = Second(pair=pair, trials=task.trials, half=split.held[0].size)
        found.append((-math.inf, seen))
        if not rare:
            if told := choose(split, goal, trials=task.trials, alpha=task.alpha, thorough=True):
                found.append((told.gain, replace(seen, choice=told)))
            continue
        for _, told in sorted(_suspects(split, goal), key=lambda each: -each[0])[:TRIED]:
            part = float(wilson(np.array(told.p), seen.half, -SUSPECT[0])) / told.p
            if trials := draws_alone(goal, told, alpha=task.alpha, most=task.trials, part=part):
                found.append((-trials, replace(seen, choice=told, trials=trials)))
    return max(found, key=lambda each: each[0])[1]


def _suspects(split: Split, goal: Goal) -> Iterator[tuple[float, Choice]]:
    """Events that look beyond the claim on the second half, and by how many standard errors."""
    half = split.held[0].size
    for choice, _ in repeated(split, goal):
        if clearly := _clearly(np.array([choice.p]), np.array([choice.q]), half, goal, choice.direction)[0]:
            yield clearly, choice
    plain, built = simple_scores(split.build, thorough=True)
    tails = [Tails.of(score, split.whole) for score in plain] + [Tails.of(score, split.held) for score in built]
    for tail in filter(None, tails):
        rates = tail.rates()
        for row, (p, q) in enumerate(zip(rates, rates[[2, 3, 0, 1]], strict=True)):
            clear = _clearly(p, q, tail.size, goal, row // 2)
            if clear.any():
                at = int(np.lexsort((p, clear))[-1])
                event = Event(score=tail.score, threshold=float(tail.thresholds[at]), above=row % 2 == 0)
                yield (
                    float(clear[at]),
                    Choice(event=event, direction=row // 2, p=float(p[at]), q=float(q[at]), gain=1.0),
                )


def _clearly(p: np.ndarray, q: np.ndarray, n: int, goal: Goal, direction: int) -> np.ndarray:
    """The most of `SUSPECT` by which both rates, moved together, still exceed the claim; 0 for none."""
    allowed, clear = goal.allowed(direction), np.zeros(p.size)
    for errors in SUSPECT:
        clear[wilson(p, n, -errors) > allowed(wilson(q, n, errors))] = errors
    return clear


def exact_values(auditor: Auditor, task: Task, goal: Goal, pair: Pair, choice: Choice) -> Evidence:
    """The evidence of `task.trials` draws a side at the task's error probability.

    The values were chosen on other draws, so the bound is valid at that probability.
    """
    choice = with_share(choice, goal, trials=task.trials, alpha=task.alpha)
    drawer = Drawer(task.build(), pair)
    about = {"pair": plain_pair(pair), "event": choice.event.plain()}
    hits = [0, 0]
    for counts, _ in fresh_counts(task, drawer, drawer.subject, choice.event.hits, about=about):
        hits = counts.tolist()
    region = JointRegion(
        k1=hits[choice.direction],
        n1=task.trials,
        k2=hits[1 - choice.direction],
        n2=task.trials,
        alpha=task.alpha,
        share=choice.share,
    )
    return event_evidence(
        auditor,
        task,
        goal,
        region,
        choice.direction,
        event=choice.event.text(),
        statistics=choice.statistics(region),
        witness=pair_witness(pair, {}),
        pictured=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CappedEvent(EventAuditor):
    """`EventAuditor` within a budget."""

    most_alone: int = 0
    """Most draws a side that count exact values of one side; values that need more are only noted."""

    @classmethod
    def of(cls, event: EventAuditor, *, most_alone: int) -> CappedEvent:
        """The same auditor with this limit."""
        given: dict[str, Any] = {each.name: getattr(event, each.name) for each in fields(event)}
        return cls(**given, most_alone=most_alone)

    def _select(self, task: Task, goal: Goal, finalists: list[Contender]) -> tuple[Contender, SingleValues | None]:
        best, single = EventAuditor._select(self, task, goal, finalists)
        if single is not None and (single.found.trials or 0) > self.most_alone:
            single = replace(single, found=replace(single.found, trials=None))
        return best, single


@dataclass(slots=True)
class Explored:
    """What the search saw."""

    pair: Pair
    """The one to certify."""
    look: PilotResult
    """What its pilots say."""
    others: list[Pair] = field(default_factory=list)
    """Those that look less bad, the worst of them first."""
    looked_at: int = 0
    raised: int = 0
    """`looked_at`, `raised`: pairs that were looked at, and those of them on which the mechanism raised."""


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
