"""The sensitivity auditor: searches by hypothesis for the pairs and parameters at which a query changes most.

The largest change found is a lower bound on the sensitivity, so it can refute a claimed bound and never confirm it. A
witness that exceeds the claim is shrunk to the simplest one with nine tenths of the excess, and computed again in
rational arithmetic where the query allows it, else with a margin for rounding (see
`auditors.sensitivity.query_change`).

Beside the witness the record contains the largest change at the claim's stated parameters, the largest one anywhere,
the witness nearest to the stated parameters (each moved back as far as `KEPT` of the excess remains), and a map of
where in the boxes of parameters the claim was exceeded, from a sweep of each parameter at the worst pairs. These are
computed in floats.

Assumption: the query is deterministic (checked on the witness). Limits: a search may miss larger changes. Local
sensitivity is different: it is the change at one data set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from auditors.search_boxes import (
    PARTS,
    EvaluatedPoint,
    at,
    candidate_pairs,
    corners,
    furthest_while,
    region,
    scaled_limit,
    share,
)
from auditors.sensitivity.query_change import certain_change, quick_change
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import HasQuery, Pair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.testing.hypothesis_search import best_point_found, found
from dpverify.testing.search_points import Point

LISTED, EXAMPLES = 64, 300
"""Listed pairs at effort 1, and points that hypothesis may draw."""

SHRINKS = 150
"""Points for shrinking at effort 1."""

KEPT_EXCESS = 0.9
"""Part of the excess that the shrunk witness must still show."""

KEPT = 0.5
"""Part of the excess (at most doubling the claim) that the witness nearest to the stated parameters must keep."""

HAIR = 1e-9
"""Relative gain below which a listed point is preferred to a found one, since it is simpler."""


NORMS = ("l1", "l2", "linf")


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityAuditor:
    """Tests a claimed bound on the change of a query by a search for the largest change."""

    name: str = "sensitivity"
    version: str = "2"
    statistical: bool = False

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        guarantee = task.claim.guarantee
        if guarantee.measures()[0].kind != "sensitivity" or getattr(guarantee, "norm", None) not in NORMS:
            return "the claim bounds no sensitivity"
        if not isinstance(task.build(), HasQuery):
            return "the subject offers no query"
        return None

    def audit(self, task: Task) -> Evidence:
        """Search, shrink and compute again.

        Raises
        ------
        InputError
            When the query raises, is not finite, or changes its length between neighbours.
        AuditError
            When there is no pair, or the query is not deterministic.
        """
        space, norm = task.claim.space, str(getattr(task.claim.guarantee, "norm", ""))
        listed = candidate_pairs(task, scaled_limit(task, LISTED))
        seen = MeasuredPoints()
        measured = partial(_measured, task, task.build(), norm, seen)
        task.progress("listed pairs", 0.0)
        best = max(_plain_points(task, listed), key=measured)
        most = measured(best)
        task.progress("searching pairs and parameters", 0.3)
        examples = round(EXAMPLES * task.effort)
        higher, most_climbed = best_point_found(
            space, task.neighbors, listed, measured, examples=examples, seed=_seed(task)
        )
        if most_climbed > most * (1.0 + HAIR):
            best, most = higher, most_climbed
        claimed = task.claim.guarantee.measures()[0].claimed
        if most > claimed:
            task.progress("shrinking the witness", 0.8)
            enough = claimed + KEPT_EXCESS * (most - claimed)
            best = _shrunk(task, listed, measured, enough) or best
        _sweep(task, seen, measured)
        smallest = _nearest(task, seen, measured) or (best if most > claimed else None)
        searched = {"examples": len(listed) + examples, **_searched(task, seen, smallest, norm)}
        return self._evidence(task, norm, best, searched)

    def _evidence(self, task: Task, norm: str, point: Point, searched: Mapping[str, Any]) -> Evidence:
        subject = task.build(**point.parameters)
        change, again = (certain_change(subject, point.pair, norm) for _ in range(2))
        if change != again:
            raise AuditError(f"the query moves by {change.value:.9g} and then by {again.value:.9g} on the same pair")
        measure = task.claim.guarantee.measures()[0]
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=measure,
            bound=change.value,
            excess=change.value - change.error - measure.claimed,
            error=change.error,
            # The change is computed exactly from the answers; `error` is the possible rounding inside the query.
            proved=True,
            coverage="search",
            trials=0,
            seed=task.seed,
            statistics={
                "norm": norm,
                "change": change.value,
                "rounding": change.error,
                "arithmetic": change.arithmetic,
                **searched,
            },
            witness={
                **plain_pair(point.pair),
                "parameters": dict(point.parameters),
                "event": f"the query moves by {change.value:.9g} ({norm})",
            },
        )


@dataclass(slots=True)
class MeasuredPoints:
    """Every measured point, in order."""

    points: list[tuple[Point, float]] = field(default_factory=list)

    def worst(self, *, own: bool) -> tuple[Point, float] | None:
        """The largest change; with `own`, at the claim's stated parameters."""
        among = [each for each in self.points if not (own and each[0].parameters)]
        return max(among, key=lambda each: each[1], default=None)


def _measured(task: Task, plain: Any, norm: str, seen: MeasuredPoints, point: Point) -> float:
    change = quick_change(task.build(**point.parameters) if point.parameters else plain, point.pair, norm)
    seen.points.append((point, change))
    return change


def _sweep(task: Task, seen: MeasuredPoints, measured: Callable[[Point], float]) -> None:
    """Vary each parameter alone over its box, at the worst pair and at the worst pair of the stated parameters."""
    found = [seen.worst(own=False), seen.worst(own=True)]
    pairs = {id(each[0].pair): each[0].pair for each in found if each is not None}
    for name, box in task.claim.space.parameters.items():
        for part in range(PARTS):
            for pair in pairs.values():
                measured(Point(pair=pair, parameters={name: at((part + 0.5) / PARTS, *box)}))


def _nearest(task: Task, seen: MeasuredPoints, measured: Callable[[Point], float]) -> Point | None:
    """The worst point with every parameter moved towards the stated value while `KEPT` of the excess remains."""
    claimed, own, worst = task.claim.guarantee.measures()[0].claimed, _own(task), seen.worst(own=False)
    if worst is None or not worst[0].parameters or not _failed(worst[1], claimed) or claimed <= 0:
        return None
    fails_at_own = seen.worst(own=True)
    if fails_at_own is not None and _failed(fails_at_own[1], claimed):
        return fails_at_own[0]
    enough = claimed + KEPT * (min(worst[1], 2.0 * claimed) - claimed)
    found = worst[0]
    for name, box in task.claim.space.parameters.items():
        if name not in found.parameters or name not in own:
            continue
        way = share(found.parameters[name], *box), share(own[name], *box)
        moved = partial(_moved, found, name, way, own[name], box)
        found = furthest_while(moved, lambda point: measured(point) >= enough) or found
    return found


def _moved(
    found: Point, name: str, way: tuple[float, float], end: float, box: tuple[float, float], part: float
) -> Point:
    """Move one parameter of a point by a part of the path to its target; `way` is in fractions of the box."""
    there = end if part == 1.0 else at(way[0] + part * (way[1] - way[0]), *box)
    return Point(pair=found.pair, parameters={**found.parameters, name: there})


def _searched(task: Task, seen: MeasuredPoints, smallest: Point | None, norm: str) -> dict[str, Any]:
    """The largest change at the stated parameters and anywhere, the simplest witness, and a map of the excess."""
    claimed = task.claim.guarantee.measures()[0].claimed
    looks = [
        EvaluatedPoint(parameters=point.parameters, ratio=_ratio(change, claimed), failed=_failed(change, claimed))
        for point, change in seen.points
    ]
    own, worst = seen.worst(own=True), seen.worst(own=False)
    return {
        "looked": len(looks),
        "failed": sum(look.failed for look in looks),
        "own": _place(task, *own) if own else None,
        "worst": _place(task, *worst) if worst else None,
        "smallest": _place(task, smallest, certain_change(task.build(**smallest.parameters), smallest.pair, norm).value)
        if smallest
        else None,
        "map": region(task.claim.space.parameters, looks, _own(task)),
    }


def _place(task: Task, point: Point, change: float) -> dict[str, Any]:
    claimed = task.claim.guarantee.measures()[0].claimed
    return {
        "parameters": {**_own(task), **point.parameters},
        "pair": point.pair.label,
        "value": change,
        "claimed": claimed,
        "ratio": _ratio(change, claimed),
        "exceeded": _failed(change, claimed),
    }


def _own(task: Task) -> dict[str, float]:
    """The claim's stated values of the searched parameters, as far as its subject has them."""
    plain = task.build()
    told = {name: task.claim.parameters.get(name, getattr(plain, name, None)) for name in task.claim.space.parameters}
    return {name: float(value) for name, value in told.items() if isinstance(value, int | float)}


def _ratio(change: float, claimed: float) -> float:
    if claimed > 0:
        return change / claimed
    return math.inf if change > 0 else 1.0


def _failed(change: float, claimed: float) -> bool:
    """Whether a change in floats exceeds the claim by more than rounding."""
    return change > claimed * (1.0 + HAIR)


def _plain_points(task: Task, listed: list[Pair]) -> Iterator[Point]:
    """Every listed pair at the claim's stated parameters, and at the corners of the boxes of parameters."""
    settings: list[dict[str, float]] = [{}, *corners(task.claim.space.parameters)[:64]]
    return (Point(pair=pair, parameters=setting) for setting in settings for pair in listed)


def _shrunk(task: Task, listed: list[Pair], measured: Callable[[Point], float], enough: float) -> Point | None:
    """The simplest point found that changes the query by `enough`."""
    plain = next((point for point in _plain_points(task, listed) if measured(point) >= enough), None)
    if plain is not None and not plain.parameters:
        return plain  # listed pairs are already the simplest
    # The same draws as in the climb, up to the first with enough change, which hypothesis then shrinks.
    shrunk = found(
        task.claim.space,
        task.neighbors,
        listed,
        measured,
        lambda _point, change: change >= enough,
        examples=round(EXAMPLES * task.effort),
        shrinks=round(SHRINKS * task.effort),
        seed=_seed(task),
    )
    return shrunk or plain


def _seed(task: Task) -> int:
    return int(task.stream("hypothesis").integers(2**63))


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("sensitivity", SensitivityAuditor())
