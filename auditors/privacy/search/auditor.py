"""The search auditor: searches by hypothesis for a pair and parameters at which samples contradict the claim.

At every point an event is chosen on one pilot and bet on in a second one; the point *fails* when the e-value against
the claim reaches `FAILED` (1e6, so that repeats during shrinking are reliable). The worst point is shrunk to the
simplest one that fails nearly as much, and that pair is given to the event auditor, which makes new draws. No verdict
uses draws of the search, so the search costs no error probability. The e-value is against one (epsilon, delta) that the
claim implies, chosen on the pilot (Waudby-Smith and Ramdas 2024, through `dpverify.stats.betting`).

Assumptions: those of the event auditor. Limits: pilots detect only violations that show in some thousand draws, by
events of small samples. The event auditor's screening is different: it tries listed pairs and the corners of the boxes
of parameters, and no points inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from numpy.typing import ArrayLike

from auditors.privacy.admission import goal_of
from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.search.pilots import Pilots
from auditors.search_boxes import candidate_pairs, corners, scaled_limit
from dpverify.core.auditing import Task
from dpverify.core.evidence import Again, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, Guarantee, Pair
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.testing.coordinate_search import coordinate_search
from dpverify.testing.hypothesis_search import best_point_found, found
from dpverify.testing.search_points import Point

FAILED = 1e6
"""E-value from which a point counts as a failure that is shrunk."""

LISTED, EXAMPLES, POLISH, SHRINKS = 16, 80, 40, 60
"""At effort 1: the generator's pairs, points that hypothesis draws, steps along coordinates, points while shrinking."""

COARSE = 0.01
"""Smallest steps along coordinates, as fractions of the box; pilots cannot distinguish smaller ones."""

KEPT_GAIN = 0.8
"""Part of the gain beyond the claim that the shrunk point must still show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAuditor:
    """Examines any privacy guarantee of any subject that can be sampled or counted, with searched parameters."""

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

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """The bound again from the counts of the event auditor's one event."""
        return self.certifier.recheck(guarantee, evidence)

    def audit(self, task: Task) -> Evidence:
        """Try simple points, climb, walk along coordinates and shrink; then certify on new draws.

        Raises
        ------
        InputError
            As the event auditor does.
        AuditError
            When the search space has no pair of different neighbours.
        """
        goal = goal_of(task)
        listed = candidate_pairs(task, scaled_limit(task, LISTED))
        pilots = Pilots(task=task, goal=goal)
        best = self._worst(task, pilots, listed)
        look = pilots.look(best)
        if look.log_e >= math.log(FAILED):
            task.progress("shrinking the witness", 0.5)
            best = _shrunk(task, pilots, listed, best)
        task.progress("certifying on fresh draws", 0.6)
        certified = replace(
            task,
            claim=replace(task.claim, space=task.claim.space.stated()),
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
        shrunk = pilots.look(best)
        extra = {
            "points": len(pilots.seen),
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

    def _worst(self, task: Task, pilots: Pilots, listed: list[Pair]) -> Point:
        """The best of the simple points, of hypothesis's points, and of a walk from the best of them."""
        task.progress("plain points", 0.0)
        best = max(_plain_points(task, listed), key=pilots.score)
        task.progress("searching pairs and parameters", 0.1)
        higher, reached = best_point_found(
            task.claim.space,
            task.neighbors,
            listed,
            pilots.score,
            examples=round(EXAMPLES * task.effort),
            seed=_seed(task),
        )
        if reached > pilots.score(best):
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

            best = _walked(pilots, best, with_parameters, list(boxes.values()), start, steps)
        if box is not None:
            parameters = best.parameters

            def with_pair(vector: Float) -> Point:
                return Point(pair=task.neighbors.decode(task.claim.space, vector), parameters=parameters)

            best = _walked(pilots, best, with_pair, box, None, steps)
        return best


def _walked(
    pilots: Pilots,
    best: Point,
    point: Callable[[Float], Point],
    bounds: ArrayLike,
    start: ArrayLike | None,
    steps: int,
) -> Point:
    """`best`, or the end of a walk from it in a box whose vectors represent points."""
    spot = coordinate_search(
        lambda vector: pilots.score(point(vector)), bounds, start=start, evaluations=steps, least_step=COARSE
    )
    return point(spot.place) if spot.value > pilots.score(best) else best


def _plain_points(task: Task, listed: list[Pair]) -> Iterator[Point]:
    """Listed pairs at the claim's stated parameters, then the first of them at the corners of the boxes."""
    yield from (Point(pair=pair) for pair in listed)
    for corner in corners(task.claim.space.parameters)[: len(listed)]:
        yield from (Point(pair=pair, parameters=corner) for pair in listed[:2])


def _shrunk(task: Task, pilots: Pilots, listed: list[Pair], worst: Point) -> Point:
    """The simplest point that still fails with nearly the same gain."""
    least = min(1.0 + KEPT_GAIN * (pilots.look(worst).gain - 1.0), pilots.look(worst).gain)

    def fails(point: Point) -> bool:
        look = pilots.look(point)
        return look.log_e >= math.log(FAILED) and look.gain >= least

    plainest = next((point for point in _plain_points(task, listed) if fails(point)), None)
    if plainest is not None and not plainest.parameters:
        return plainest
    smaller = found(
        task.claim.space,
        task.neighbors,
        listed,
        pilots.score,
        lambda point, _score: fails(point),
        examples=round(EXAMPLES * task.effort),
        shrinks=round(SHRINKS * task.effort),
        seed=_seed(task),
    )
    return smaller or plainest or worst


def _seed(task: Task) -> int:
    return int(task.stream("hypothesis").integers(2**63))


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("search", SearchAuditor())
