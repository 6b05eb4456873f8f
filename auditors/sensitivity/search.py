"""The sensitivity auditor: hypothesis searches the neighbouring pairs and parameters that move a query the most.

The largest change found is a lower bound on the sensitivity, so it can refute a claimed bound and never confirm it. A
witness that exceeds the claim is shrunk to the plainest one that shows nine tenths of the excess, and computed again in
rational arithmetic where the query allows, else with a margin for rounding (see `auditors.sensitivity.change`).

Assumption: the query is deterministic (checked on the witness). Limits: a search; what it did not find may exist.
Often confused with local sensitivity, the change at one data set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from auditors.sensitivity.change import certain_change, quick_change
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.protocols import HasQuery, Pair, Task
from dpverify.core.registry import Registry
from dpverify.datasets.neighbors.plain import plain_pair
from dpverify.testing.hunt import climbed, found
from dpverify.testing.points import Point

LISTED, EXAMPLES = 64, 300
"""Pairs of the generator's list that are tried at effort 1, and points that hypothesis may draw."""

SHRINKS = 150
"""Points that the shrinking may try at effort 1."""

KEPT_EXCESS = 0.9
"""Part of the excess that the shrunk witness must still show."""

HAIR = 1e-9
"""Relative gain below which a found point is no better than a listed one: the listed one is plainer."""

NORMS = ("l1", "l2", "linf")


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityAuditor:
    """A claimed bound on the change of a query, against a search for the largest change."""

    name: str = "sensitivity"
    version: str = "1"
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
        """Search, shrink, compute again.

        Raises
        ------
        InputError
            When the query raises, is not finite, or changes its length between neighbours.
        AuditError
            When there is no pair, or the query answers differently when asked again.
        """
        space, norm = task.claim.space, str(getattr(task.claim.guarantee, "norm", ""))
        listed = task.neighbors.candidates(space, limit=max(1, round(LISTED * task.effort)), rng=task.stream("pairs"))
        if not listed:
            raise AuditError(f"the relation {task.neighbors.relation!r} has no two different neighbours in this space")
        measured = partial(_measured, task, task.build(), norm)
        task.progress("listed pairs", 0.0)
        best = max(_plain_points(task, listed), key=measured)
        most = measured(best)
        task.progress("searching pairs and parameters", 0.3)
        examples = round(EXAMPLES * task.effort)
        higher, most_climbed = climbed(space, task.neighbors, listed, measured, examples=examples, seed=_seed(task))
        if most_climbed > most * (1.0 + HAIR):
            best, most = higher, most_climbed
        claimed = task.claim.guarantee.measures()[0].claimed
        if most > claimed:
            task.progress("shrinking the witness", 0.8)
            enough = claimed + KEPT_EXCESS * (most - claimed)
            best = _shrunk(task, listed, measured, enough) or best
        return self._evidence(task, norm, best, examples=len(listed) + examples)

    def _evidence(self, task: Task, norm: str, point: Point, *, examples: int) -> Evidence:
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
            # The change is computed exactly from the answers; `error` is what rounding inside the query may add.
            proved=True,
            coverage="search",
            trials=0,
            seed=task.seed,
            statistics={
                "norm": norm,
                "change": change.value,
                "rounding": change.error,
                "arithmetic": change.arithmetic,
                "examples": examples,
            },
            witness={
                **plain_pair(point.pair),
                "parameters": dict(point.parameters),
                "event": f"the query moves by {change.value:.9g} ({norm})",
            },
        )


def _measured(task: Task, plain: Any, norm: str, point: Point) -> float:
    return quick_change(task.build(**point.parameters) if point.parameters else plain, point.pair, norm)


def _plain_points(task: Task, listed: list[Pair]) -> Iterator[Point]:
    """Every listed pair at the claim's own parameters, and at the corners of the parameters' boxes."""
    boxes = task.claim.space.parameters
    corners: list[dict[str, float]] = [{}]
    if boxes:
        corners += [dict(zip(boxes, corner, strict=True)) for corner in product(*boxes.values())][:64]
    return (Point(pair=pair, parameters=corner) for corner in corners for pair in listed)


def _shrunk(task: Task, listed: list[Pair], measured: Callable[[Point], float], enough: float) -> Point | None:
    """The plainest point that moves the query by `enough`, as far as one is found."""
    plain = next((point for point in _plain_points(task, listed) if measured(point) >= enough), None)
    if plain is not None and not plain.parameters:
        return plain  # listed pairs are as plain as it gets
    # The same draws as in the climb, up to the first that shows enough, which hypothesis then shrinks.
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
