"""The search auditor: hypothesis looks for a pair and parameters at which samples deny the claim, and shrinks them.

At every point visited an event is chosen on a pilot and bet on in a second one; the point *fails* when the e-value
against the claim there reaches `FAILED` (1e6: field practice, so that re-runs while shrinking do not flake). The worst
point is shrunk to the plainest that still fails nearly as badly, and that one pair is handed to the event auditor,
which draws afresh: no verdict rests on a draw that the search has seen, so the whole error probability is spent there
and none of the search is paid for. The e-value is against one (epsilon, delta) that the claim implies, chosen on the
pilot (Waudby-Smith and Ramdas 2024, through `dpverify.stats.betting`).

Assumptions: those of the event auditor. Limits: a search; pilots see violations that some thousand draws can see, and
the events of small samples. Often confused with the event auditor's own screening, which tries listed pairs and the
corners of the parameters' boxes, and never moves inside them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.event.outputs import Drawer
from auditors.privacy.event.promise import Choice
from auditors.privacy.event.select import Split, choose
from auditors.privacy.goal import SLOPES, Goal
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.protocols import Float, Pair, PrivacyGuarantee, Task
from dpverify.core.registry import Registry
from dpverify.datasets.neighbors.fixed import FixedPair
from dpverify.datasets.neighbors.plain import plain_pair
from dpverify.runner.record import plain
from dpverify.stats.betting import EventProcess
from dpverify.testing.coordinate import coordinate_search
from dpverify.testing.hunt import climbed, found
from dpverify.testing.points import Point

FAILED = 1e6
"""An e-value from which on a point counts as a failure worth shrinking."""

PILOT = 2**12
"""Draws a side on which a point's event is chosen, and as many again to bet on it."""

LISTED, EXAMPLES, POLISH, SHRINKS = 16, 80, 40, 60
"""At effort 1: the generator's pairs, points that hypothesis draws, steps along coordinates, points while shrinking."""

COARSE = 0.01
"""Steps along coordinates, as shares of the box, below which pilots tell nothing apart."""

KEPT_GAIN = 0.8
"""Part of the gain beyond the claim that the shrunk point must still show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the pilots say of a point: the promise of its event, and the logarithm of the e-value against the claim."""

    gain: float = 0.0
    log_e: float = 0.0

    @property
    def score(self) -> float:
        """What the search climbs: the promise, and beyond the claim the e-value."""
        return self.gain + max(self.log_e, 0.0)


@dataclass(slots=True)
class Scout:
    """Looks at points, each once: draws come from streams named after the point, so a point always looks the same."""

    task: Task
    goal: Goal
    seen: dict[str, Look] = field(default_factory=dict)
    _built: dict[str, Any] = field(default_factory=dict)

    def look(self, point: Point) -> Look:
        """The pilots at `point`."""
        name = _digest(point)
        if name not in self.seen:
            self.seen[name] = self._look(point, name)
        return self.seen[name]

    def score(self, point: Point) -> float:
        """Of its look."""
        return self.look(point).score

    def _look(self, point: Point, name: str) -> Look:
        drawer, task = Drawer(self._subject(point), point.pair), self.task
        size = min(PILOT, task.trials)
        pilot = [drawer.draw(side, size, rng=task.stream("look", name, side)) for side in (0, 1)]
        split = Split.of(pilot, rng=task.stream("look", name, "split"))
        choice = choose(split, self.goal, trials=task.trials, alpha=task.alpha, thorough=False)
        if choice is None:
            return Look()
        hits = [choice.event.hits(drawer.draw(side, size, rng=task.stream("bet", name, side))) for side in (0, 1)]
        k1, k2 = hits[choice.direction], hits[1 - choice.direction]
        log_e = _log_e_value(self.goal, choice, k1, k2, size, rng=task.stream("bet", name, "order"))
        return Look(gain=choice.gain, log_e=log_e)

    def _subject(self, point: Point) -> Any:
        key = json.dumps(plain(point.parameters), sort_keys=True)
        if key not in self._built:
            self._built.clear()
            self._built[key] = self.task.build(**point.parameters)
        return self._built[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAuditor:
    """Any privacy guarantee, any subject that can be sampled or counted, any neighbours and searched parameters."""

    name: str = "search"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    certifier: EventAuditor = field(default_factory=EventAuditor)

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing: the event auditor's answer."""
        return self.certifier.refuses(task)

    def lacks(self, task: Task) -> int | None:
        """The event auditor's answer."""
        return self.certifier.lacks(task)

    def audit(self, task: Task) -> Evidence:
        """Look at plain points, climb, walk along coordinates, shrink; then certify on fresh draws.

        Raises
        ------
        InputError
            As the event auditor does.
        AuditError
            When the search space has no pair of different neighbours.
        """
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee):
            raise AuditError(f"{guarantee.text()} is no privacy guarantee")
        space = task.claim.space
        listed = task.neighbors.candidates(space, limit=max(1, round(LISTED * task.effort)), rng=task.stream("pairs"))
        if not listed:
            raise AuditError(f"the relation {task.neighbors.relation!r} has no two different neighbours in this space")
        scout = Scout(task=task, goal=Goal(guarantee=guarantee))
        best = self._worst(task, scout, listed)
        look = scout.look(best)
        if look.log_e >= math.log(FAILED):
            task.progress("shrinking the witness", 0.5)
            best = _shrunk(task, scout, listed, best)
        task.progress("certifying on fresh draws", 0.6)
        certified = replace(
            task,
            claim=replace(task.claim, space=space.own()),
            build=partial(task.build, **best.parameters),
            neighbors=FixedPair(
                d0=best.pair.d0,
                d1=best.pair.d1,
                relation=task.neighbors.relation,
                generator=task.neighbors,
                label=best.pair.label,
            ),
            stream=lambda *names: task.stream("certified", *names),
            progress=lambda message, share: task.progress(message, 0.6 + 0.4 * share),
        )
        evidence = self.certifier.audit(certified)
        shrunk = scout.look(best)
        extra = {
            "points": len(scout.seen),
            "worst_log_e": look.log_e,
            "shrunk_log_e": shrunk.log_e,
            "failed_in_search": look.log_e >= math.log(FAILED),
        }
        return replace(
            evidence,
            auditor=self.name,
            version=f"{self.version}+event-{self.certifier.version}",
            statistics={**evidence.statistics, **extra},
            witness={**evidence.witness, "parameters": dict(best.parameters)},
        )

    def _worst(self, task: Task, scout: Scout, listed: list[Pair]) -> Point:
        """The best score of plain points, of hypothesis's, and of a walk from the best of them."""
        task.progress("plain points", 0.0)
        best = max(_plain_points(task, listed), key=scout.score)
        task.progress("searching pairs and parameters", 0.1)
        higher, reached = climbed(
            task.claim.space,
            task.neighbors,
            listed,
            scout.score,
            examples=round(EXAMPLES * task.effort),
            seed=_seed(task),
        )
        if reached > scout.score(best):
            best = higher
        task.progress("walking along coordinates", 0.4)
        steps = max(1, round(POLISH * task.effort))
        boxes, box = task.claim.space.parameters, task.neighbors.box(task.claim.space)
        if boxes:
            own = task.claim.parameters
            start = [float(best.parameters.get(name, own.get(name, low))) for name, (low, _) in boxes.items()]
            pair = best.pair

            def with_parameters(vector: Float) -> Point:
                return Point(pair=pair, parameters=dict(zip(boxes, vector.tolist(), strict=True)))

            best = _walked(scout, best, with_parameters, list(boxes.values()), start, steps)
        if box is not None:
            parameters = best.parameters

            def with_pair(vector: Float) -> Point:
                return Point(pair=task.neighbors.decode(task.claim.space, vector), parameters=parameters)

            best = _walked(scout, best, with_pair, box, None, steps)
        return best


def _walked(
    scout: Scout,
    best: Point,
    point: Callable[[Float], Point],
    bounds: ArrayLike,
    start: ArrayLike | None,
    steps: int,
) -> Point:
    """`best`, or the end of a walk in a box whose vectors stand for points."""
    spot = coordinate_search(
        lambda vector: scout.score(point(vector)), bounds, start=start, evaluations=steps, least_step=COARSE
    )
    return point(spot.place) if spot.value > scout.score(best) else best


def _plain_points(task: Task, listed: list[Pair]) -> Iterator[Point]:
    """Listed pairs at the claim's own parameters, then the first of them at the corners of the parameters' boxes."""
    boxes = task.claim.space.parameters
    yield from (Point(pair=pair) for pair in listed)
    if boxes:
        corners = [dict(zip(boxes, corner, strict=True)) for corner in product(*boxes.values())][: len(listed)]
        yield from (Point(pair=pair, parameters=corner) for corner in corners for pair in listed[:2])


def _shrunk(task: Task, scout: Scout, listed: list[Pair], worst: Point) -> Point:
    """The plainest point that still fails, and gains nearly as much."""
    least = min(1.0 + KEPT_GAIN * (scout.look(worst).gain - 1.0), scout.look(worst).gain)

    def fails(point: Point) -> bool:
        look = scout.look(point)
        return look.log_e >= math.log(FAILED) and look.gain >= least

    plainest = next((point for point in _plain_points(task, listed) if fails(point)), None)
    if plainest is not None and not plainest.parameters:
        return plainest
    smaller = found(
        task.claim.space,
        task.neighbors,
        listed,
        scout.score,
        lambda point, _score: fails(point),
        examples=round(EXAMPLES * task.effort),
        shrinks=round(SHRINKS * task.effort),
        seed=_seed(task),
    )
    return smaller or plainest or worst


def _log_e_value(goal: Goal, choice: Choice, k1: int, k2: int, size: int, *, rng: np.random.Generator) -> float:
    """Of the e-process. Draws of one law have no order that matters: a random one is as good as theirs."""
    variance = choice.p * (1.0 - choice.p) + np.exp(2.0 * SLOPES) * choice.q * (1.0 - choice.q)
    claimed = goal.guarantee.delta(SLOPES, reverse=bool(choice.direction))
    drift = choice.p - np.exp(SLOPES) * choice.q - claimed
    place = int(np.argmax(drift / np.sqrt(variance + 1.0 / size)))
    delta = float(np.nextafter(max(claimed[place], 0.0), 2.0))
    if not 0.0 <= delta < 1.0:
        return 0.0
    indicators = [rng.permutation(np.arange(size) < hits) for hits in (k1, k2)]
    epsilon = float(SLOPES[place])
    e_value = EventProcess.start([epsilon], delta=delta).update(*indicators).e_value(epsilon)
    return math.log(e_value) if e_value > 0 else -math.inf


def _digest(point: Point) -> str:
    words = json.dumps(plain({**plain_pair(point.pair), "pair": "", "parameters": point.parameters}), sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()


def _seed(task: Task) -> int:
    return int(task.stream("hypothesis").integers(2**63))


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("search", SearchAuditor())
