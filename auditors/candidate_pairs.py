"""Candidates for an audit: neighbouring pairs of the claim's search space, and settings of the searched parameters.

Pairs are made by the claim's neighbour generator from the task's stream ``pairs``, so every auditor gets the same ones.
Nothing is drawn from the subject here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from dpverify.core.auditing import Task
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Pair

Box = Mapping[str, tuple[float, float]]
"""Smallest and largest value of each searched parameter."""


def scaled_limit(task: Task, most: int, *, draws: int | None = None) -> int:
    """`most` times the effort, at least 1; with `draws` a side for each, at most as many as the trials allow."""
    limit = round(most * task.effort)
    return max(1, limit if draws is None else min(limit, task.trials // draws))


def candidate_pairs(task: Task, limit: int) -> list[Pair]:
    """At most `limit` pairs of different neighbours, the most promising first; AuditError when there is none."""
    found = task.neighbors.candidates(task.claim.space, limit=limit, rng=task.stream("pairs"))
    if not found:
        raise no_pairs(task, task.claim.space)
    return found


def no_pairs(task: Task, space: SearchSpace) -> AuditError:
    """The error for a search space without two different neighbours."""
    return AuditError(
        f"the relation {task.neighbors.relation!r} has no two different neighbours of size {space.size} "
        f"with values in [{space.low:g}, {space.high:g}]: widen the claim's search space"
    )


def corners(box: Box) -> list[dict[str, float]]:
    """The corners of the box of parameters; none without searched parameters."""
    return [dict(zip(box, corner, strict=True)) for corner in product(*box.values())] if box else []
