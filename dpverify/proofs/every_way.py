"""The code runs on every path and every way of a record that its proof speaks of; one without a run refuses the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from dpverify.proofs.certificate import CheckedPath
from dpverify.proofs.contradictions import contradictory
from dpverify.proofs.coupled import Call, DataSets, play
from dpverify.proofs.moved import check_moved
from dpverify.proofs.operations import ProofError
from dpverify.proofs.reached import RECORDS, Point, PublicEvaluation, Records, point_of, sides, words

MOST_RUNS = 8_000
"""Of the code, over all paths and ways."""


def check_reached(
    paths: Sequence[CheckedPath],
    records: Records,
    taken: dict[int, Point],
    container: Callable[[Mapping[str, Any], int], Any],
    call: Call,
) -> None:
    """ProofError where a path or a way has no run, or the code does there what the proof does not say.

    `taken`: paths that the code was run on, and where; the others are added.
    """
    starts, runs = records.starts(), 0
    for place, path in enumerate(paths):
        if place not in taken and contradictory(path.conditions):
            continue
        if place not in taken:
            taken[place] = point_of(path, list(taken.values()), records.special, records.rng)
        point = taken[place]
        found = _of_ways(path, records, PublicEvaluation(path.program, point), starts)
        starts = np.concatenate([found, starts])[: 2 * RECORDS]
        if path.program.relation == "replace":
            rows = [np.concatenate([each[None], np.repeat(found[:1], point.size - 1, axis=0)]) for each in found]
        else:
            rows = [found[:0], *(each[None] for each in found), found]
        runs += len(rows)
        if runs > MOST_RUNS:
            raise ProofError(f"more than {MOST_RUNS:,} ways through the code")
        columns = [(records.made(each), len(each)) for each in rows]
        sets = [(each, size, partial(container, each, size)) for each, size in columns]
        if set(_gone(paths, sets, call, point)) != {place}:
            point = point_of(path, [point], records.special, records.rng, inside=True)
            if set(_gone(paths, sets, call, point)) != {place}:
                raise ProofError("released values at which rounding decides which way the code goes")
        check_moved([path], records.made(found), len(found))


def _gone(paths: Sequence[CheckedPath], sets: DataSets, call: Call, point: Point) -> Iterable[int]:
    return play(paths, sets, call, point.seed, lambda _, at, shape: point.given(at, shape))


def _of_ways(path: CheckedPath, records: Records, public: PublicEvaluation, starts: Any) -> Any:
    """Records, one at least for each way, and for each side of each choice."""
    found = [starts[0]]
    for way in [*path.ways, *sides(path.program)]:
        if contradictory(way):
            continue
        at = records.first(way, public, np.asarray(found))
        if at is not None:
            continue
        at = records.first(way, public, starts)
        point = starts[at] if at is not None else records.of_way(way, public, starts)
        if point is None:
            raise ProofError(f"no record was found that goes one way through the code: {words(way)}")
        found.append(point)
    return np.asarray(found)
