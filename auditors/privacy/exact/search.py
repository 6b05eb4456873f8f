"""The global search for the worst pair and parameters: structured pairs, differential evolution, compass polish.

A search approaches the supremum from below, and proves nothing about points that it did not visit. The number of
evaluations follows the task's effort and no clock, so a run is the same on every machine. Differential evolution is
DE/current-to-pbest/1 (Zhang and Sanderson 2009) without an archive. Its first population contains corners of the box,
where threshold mechanisms are worst, and a cluster around the centre, since boxes are often wider than necessary.
Claims of many orders are searched in up to three groups of neighbouring measures, because low and high orders have
different worst pairs, and the steeper one would hide the other. Large data sets are first searched at a smaller size,
where the laws are fast; equal coordinates then mean the same shape. This is neither an enumeration nor an enclosure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from auditors.privacy.exact.points import Box, Examiner, Found, Point, resized
from auditors.search_boxes import compass_search, no_pairs
from dpverify.core.auditing import Task
from dpverify.core.subjects import Float

EVALUATIONS = 2000
"""Evaluations at effort 1, for data sets of up to 100 entries; fewer, by a square root, for larger ones."""

_PLAIN_SIZE = 100
_LEAST = 100
_LISTED, _EVOLVED, _POLISHED = 0.15, 0.6, 0.25  # fractions of the evaluations
_MOST_GROUPS = 3
_SCOUTED = 200  # entries
_FEWEST, _MOST = 16, 64  # size of a population
_BEST = 0.15  # fraction of it that is used as attractors
_CORNERED = 0.6  # probability that a coordinate is at a corner
_NEAREST = 1.5  # decades
_LEAST_STEP = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class BestPoint:
    """The best point of a search: the result, and its coordinates (None for a listed pair).

    `groups` are the coordinates of the best point for each group of measures.
    """

    found: Found
    vector: Float | None = None
    groups: tuple[Float, ...] = ()


def budget(task: Task, *, size: int | None = None) -> int:
    """Number of points that a search may visit at a size."""
    larger = max(1.0, (size or task.claim.space.size) / _PLAIN_SIZE)
    return max(_LEAST, math.ceil(EVALUATIONS * task.effort / math.sqrt(larger)))


def search(
    task: Task,
    examiner: Examiner,
    *,
    fixed: Mapping[str, Any] = MappingProxyType({}),
    starts: Sequence[Float] = (),
) -> BestPoint:
    """The best spot at the size of the claim's space.

    `fixed`: parameters that are the same at every point. `starts`, shape (k,): worst coordinates at another size, for
    each group of measures, as additional starting points.

    AuditError when the search space has no pair of different neighbours.
    """
    space, total = task.claim.space, budget(task)
    boxed = task.neighbors.box(space) is not None or bool(space.parameters)
    limit = max(8, round(_LISTED * total)) if boxed else total
    box = Box(task, space, limit=limit, fixed=fixed)
    if not box.listed:
        raise no_pairs(task, space)
    best = _listed(examiner, box, limit, task)
    if box.dimension == 0 or (not box.continuous and not box.names) or math.isinf(best.found.ratio):
        return best
    scouted = resized(task, _SCOUTED, listed=1) if space.size > 2 * _SCOUTED and box.continuous else None
    if scouted is None or len(scouted.bounds) != len(box.bounds):
        scout, field, evaluations = examiner, box, round(_EVOLVED * total)
    else:
        scout, field, evaluations = Examiner(task=task), scouted, round(_EVOLVED * budget(task, size=_SCOUTED))
    groups = _groups(task)
    known = [start for start in starts if start.size == len(box.bounds)]
    again = (
        known if scout is not examiner else []
    )  # the worst coordinates of another size need not be the worst at the smaller size
    polish = round(_POLISHED * total / (len(groups) + 1 + len(again)))
    ends: list[Float] = []
    for number, within in enumerate(groups):
        spot = evolved_point(
            scout,
            field,
            evaluations // len(groups),
            within=within,
            known=known,
            report=_reporter(task, number, len(groups)),
            rng=task.stream("search", number),
        )
        spots = [compass_polish(examiner, box, spot.vector, polish, within=within)]
        spots += [compass_polish(examiner, box, start, polish, within=within) for start in again[number : number + 1]]
        spot = max(spots, key=lambda each: each.found.ratio)
        ends += [spot.vector] if spot.vector is not None else []
        best = max(best, spot, key=lambda each: each.found.ratio)
    if scout is not examiner:
        examiner.evaluations += scout.evaluations  # its results are of another size
    task.progress("polishing the worst", 0.75)
    if best.vector is not None:
        best = max(best, compass_polish(examiner, box, best.vector, polish), key=lambda each: each.found.ratio)
    return replace(best, groups=tuple(ends))


def _reporter(task: Task, done: int, groups: int) -> Callable[[float], None]:
    return lambda share: task.progress("searching", 0.15 + 0.6 * (done + share) / groups)


def _groups(task: Task) -> list[frozenset[str]]:
    """Labels of the claim's measures, in up to three groups of consecutive ones."""
    labels = list(dict.fromkeys(measure.label() for measure in task.claim.guarantee.measures()))
    count = min(_MOST_GROUPS, len(labels))
    cuts = [round(len(labels) * part / count) for part in range(count + 1)]
    return [frozenset(labels[first:last]) for first, last in pairwise(cuts)]


def _listed(examiner: Examiner, box: Box, limit: int, task: Task) -> BestPoint:
    """Try listed pairs with a few settings of the parameters each, ordered by the sum of the two ranks."""
    settings, space = box.settings() if box.names else [{}], box.space
    pairs = [box.listing({**box.fixed, **setting}) if space.unit else box.listed for setting in settings]
    ranked = sorted((i + 3 * j, i, j) for j in range(len(settings)) for i in range(len(pairs[j])))
    best: Found | None = None
    for done, (_, i, j) in enumerate(ranked[:limit]):
        task.progress("trying the listed pairs", 0.15 * done / limit)
        found = examiner.examine(Point(pair=pairs[j][i], parameters={**box.fixed, **settings[j]}, size=space.size))
        if best is None or found.ratio > best.ratio:
            best = found
    assert best is not None
    return BestPoint(found=best)


def evolved_point(
    examiner: Examiner,
    box: Box,
    evaluations: int,
    *,
    within: frozenset[str] | None = None,
    known: Sequence[Float] = (),
    report: Callable[[float], None] = lambda _share: None,
    rng: np.random.Generator,
) -> BestPoint:
    """Differential evolution over the box, for the largest ratio of the measures `within`.

    `known` is part of the first population; `report` is called with the finished fraction.
    """
    low, width = box.bounds[:, 0], box.bounds[:, 1] - box.bounds[:, 0]
    size = int(np.clip(evaluations // 12, _FEWEST, _MOST))
    members = _population(box, size, rng)
    members[: len(known)] = np.array(known).reshape(-1, low.size)
    values = np.empty(size)
    best: BestPoint | None = None
    spent = 0

    def visit(vector: Float) -> float:
        nonlocal best, spent
        found = examiner.examine(box.point(vector), within=within)
        spent += 1
        if best is None or found.ratio > best.found.ratio:
            best = BestPoint(found=found, vector=vector.copy())
        return found.ratio

    for index in range(size):
        values[index] = visit(members[index])
    while spent < evaluations and best is not None and not math.isinf(best.found.ratio):
        report(spent / evaluations)
        leaders = np.argsort(-values)[: max(2, round(_BEST * size))]
        for index in range(size):
            scale, crossing = rng.uniform(0.4, 1.0), rng.choice([0.3, 0.7, 1.0])
            first, second = members[rng.integers(size)], members[rng.integers(size)]
            leader = members[rng.choice(leaders)]
            moved = members[index] + scale * (leader - members[index]) + scale * (first - second)
            taken = rng.random(low.size) < crossing
            taken[rng.integers(low.size)] = True
            trial = np.clip(np.where(taken, moved, members[index]), low, low + width)
            value = visit(trial)
            if value >= values[index]:
                members[index], values[index] = trial, value
    assert best is not None
    return best


def _population(box: Box, size: int, rng: np.random.Generator) -> Float:
    """The first population: half uniform, a quarter mostly on corners, a quarter near the centre."""
    low, width = box.bounds[:, 0], box.bounds[:, 1] - box.bounds[:, 0]
    shares = rng.random((size, low.size))
    kind = np.arange(size)[:, None] % 4
    corners = (kind == 1) & (rng.random(shares.shape) < _CORNERED)
    shares = np.where(corners, np.round(shares), shares)
    near = 10.0 ** -rng.uniform(0.0, _NEAREST, (size, 1))
    shares = np.where(kind == 3, 0.5 + near * (shares - 0.5), shares)
    return low + width * shares


def compass_polish(
    examiner: Examiner, box: Box, start: Float | None, evaluations: int, *, within: frozenset[str] | None = None
) -> BestPoint:
    """Compass search from `start` (None: the centre): one coordinate at a time; steps are halved when none improves."""
    low, high = box.bounds[:, 0], box.bounds[:, 1]
    vector = np.clip(box.bounds.mean(axis=1) if start is None else start, low, high)
    best = BestPoint(found=examiner.examine(box.point(vector), within=within), vector=vector)

    def look(trial: Float) -> float:
        nonlocal best
        tried = examiner.examine(box.point(trial), within=within)
        if tried.ratio > best.found.ratio:
            best = BestPoint(found=tried, vector=trial)
        return tried.ratio

    compass_search(
        look,
        vector,
        best.found.ratio,
        low=low,
        high=high,
        evaluations=evaluations - 1,
        least_step=_LEAST_STEP,
    )
    return best
