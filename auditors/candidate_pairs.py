"""Where an auditor looks: neighbouring pairs of the claim's search space, and settings of the searched parameters.

Pairs come from the claim's neighbour generator, drawn on the task's stream ``pairs``, so that every auditor is offered
the same ones. Nothing is drawn from the subject here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from dpverify.core.auditing import Task
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Pair

Box = Mapping[str, tuple[float, float]]
"""Least and largest value of each searched parameter."""


def scaled_limit(task: Task, most: int, *, draws: int | None = None) -> int:
    """`most` times the effort, at least 1; where each takes `draws` a side, as many as the trials allow."""
    limit = round(most * task.effort)
    return max(1, limit if draws is None else min(limit, task.trials // draws))


def candidate_pairs(task: Task, limit: int) -> list[Pair]:
    """At most `limit` pairs of different neighbours, the likeliest to differ first; AuditError when there is none."""
    found = task.neighbors.candidates(task.claim.space, limit=limit, rng=task.stream("pairs"))
    if not found:
        raise no_pairs(task, task.claim.space)
    return found


def no_pairs(task: Task, space: SearchSpace) -> AuditError:
    """The error of a search space without two different neighbours."""
    return AuditError(
        f"the relation {task.neighbors.relation!r} has no two different neighbours of size {space.size} "
        f"with values in [{space.low:g}, {space.high:g}]: widen the claim's search space"
    )


def corners(box: Box) -> list[dict[str, float]]:
    """The corners of the parameters' box; none without searched parameters."""
    return [dict(zip(box, corner, strict=True)) for corner in product(*box.values())] if box else []
