"""A compass search in a box: one coordinate at a time; steps grow after a success and are halved after a failure.

Hooke and Jeeves, J. ACM 1961. Deterministic. It ends at a local maximum, so it serves to improve the best point of a
global search.

The map of a search: the parts of each parameter's range in which a claim was evaluated, and where it failed.

Each parameter is shown alone, over all values of the others. In a part without failures none was *found*; a part
without points was not evaluated.

Candidates for an audit: neighbouring pairs of the claim's search space, and settings of the searched parameters.

Pairs are made by the claim's neighbour generator from the task's stream ``pairs``, so every auditor gets the same ones.
Nothing is drawn from the subject here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeVar

import numpy as np

from dpverify.core.auditing import Task
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Float, Pair

FIRST_STEP = 0.1
"""As a fraction of the box."""


Moved = TypeVar("Moved")

HALVINGS = 12


LOGARITHMIC = 10.0
"""Boxes of at least this ratio are divided (and searched) on a log scale."""

PARTS = 8
"""Number of parts of each parameter's range."""


Box = Mapping[str, tuple[float, float]]
"""Smallest and largest value of each searched parameter."""


def compass_search(
    look: Callable[[Float], float],
    start: Float,
    value: float,
    *,
    low: Float,
    high: Float,
    evaluations: int,
    least_step: float,
) -> None:
    """Evaluate points around `start` and move to each better one; `look` has to remember the best.

    Parameters
    ----------
    look : callable
        The value at a point; larger is better, and an infinite one ends the search.
    start, value : ndarray of shape (k,), float
        Starting point, and the value there.
    low, high : ndarray of shape (k,)
        The box.
    evaluations : int
        No round over the coordinates begins after this many evaluations.
    least_step : float
        The search ends when all steps are below this fraction of the box.
    """
    place, width, spent = start, high - low, 0
    steps = np.where(width > 0, FIRST_STEP, 0.0)
    while spent < evaluations and steps.max() > least_step and math.isfinite(value):
        for axis in np.flatnonzero(width > 0):
            for sign in (1.0, -1.0):
                trial = place.copy()
                trial[axis] = np.clip(trial[axis] + sign * steps[axis] * width[axis], low[axis], high[axis])
                if trial[axis] == place[axis]:
                    continue
                there = look(trial)
                spent += 1
                if there > value:
                    place, value = trial, there
                    steps[axis] *= 1.5
                    break
            else:
                steps[axis] *= 0.5


def furthest_while(moved: Callable[[float], Moved], holds: Callable[[Moved], bool]) -> Moved | None:
    """The point at the largest part of the path at which the condition holds; None where it holds nowhere.

    The whole path (1.0) is tried first. The start (0.0) is assumed to fulfil the condition and not tried.
    """
    kept: Moved | None = None
    near, far = 0.0, 1.0
    for step in range(HALVINGS):
        part = 1.0 if step == 0 else (near + far) / 2
        there = moved(part)
        if not holds(there):
            far = part
            continue
        near, kept = part, there
        if step == 0:
            break
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedPoint:
    """One evaluated point."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The searched parameters; others have the claim's stated values."""
    ratio: float
    """Computed value divided by the claimed one, with errors in the claim's favour."""
    failed: bool
    """Whether the value exceeds the claim."""
    size: int | None = None
    """Of the data sets."""


def share(value: float, low: float, high: float) -> float:
    """Relative position of a value in its box, in [0, 1]; values outside are moved to the nearer end."""
    value = min(max(float(value), low), high)
    if high == low:
        return 0.0
    if low > 0 and high / low >= LOGARITHMIC:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def at(part: float, low: float, high: float) -> float:
    """The inverse of `share`."""
    if low > 0 and high / low >= LOGARITHMIC:
        return min(max(low * math.exp(part * math.log(high / low)), low), high)
    return min(max(low + part * (high - low), low), high)


def region(
    boxes: Mapping[str, tuple[float, float]], looks: Sequence[EvaluatedPoint], own: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]]:
    """For each parameter, by parts of its range: numbers of points and of failures, and the worst ratio.

    `own` has the values of parameters that a point does not contain; a parameter in neither is omitted.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for name, (low, high) in boxes.items():
        parts: list[list[EvaluatedPoint]] = [[] for _ in range(PARTS)]
        for look in looks:
            value = look.parameters.get(name, own.get(name))
            if value is not None:
                parts[min(int(share(value, low, high) * PARTS), PARTS - 1)].append(look)
        if any(parts):
            ends = [at(number / PARTS, low, high) for number in range(PARTS + 1)]
            found[name] = [_part(ends[number], ends[number + 1], inside) for number, inside in enumerate(parts)]
    return found


def by_size(looks: Sequence[EvaluatedPoint]) -> list[dict[str, Any]]:
    """The same for sizes; each evaluated size is a separate part."""
    sizes = sorted({look.size for look in looks if look.size is not None})
    return [_part(size, size, [look for look in looks if look.size == size]) for size in sizes]


def _part(low: float, high: float, inside: Sequence[EvaluatedPoint]) -> dict[str, Any]:
    return {
        "from": low,
        "to": high,
        "points": len(inside),
        "failed": sum(look.failed for look in inside),
        "worst": max((look.ratio for look in inside), default=None),
    }


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
