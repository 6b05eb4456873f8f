"""The code runs on every path and every way of a record that its proof speaks of; one without a run refuses the proof.

Also both sides of each condition and of each choice between two values, where chance would miss a narrow window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from dpverify.proofs.certificate import CheckedPath
from dpverify.proofs.contradictions import contradictory
from dpverify.proofs.coupled import Call, DecidedByRoundingError, play
from dpverify.proofs.extremes import extremes
from dpverify.proofs.held_ranges import check_public, check_records
from dpverify.proofs.joint_search import JointSearch
from dpverify.proofs.moved import check_moved
from dpverify.proofs.operations import TEXT, ProofError
from dpverify.proofs.points import Point, PointSearch, PublicEvaluation
from dpverify.proofs.record_search import RECORDS, OfRecords, RecordSearch
from dpverify.proofs.ways import Condition, Looks, jumps, met_by, sides, turns, words

BASES = 4

BESIDE = 3
"""Records from anywhere in the domain that are tried beside those of each way."""

FAR = (1.0, 30.0, 1e6, 1e200)

POINTS = 24
"""Points as far as each of these, at which values that are computed of released ones are held against their ranges."""

MOST_RUNS = 8_000
"""Of the code, over all paths and ways."""


@dataclass
class EveryWay:
    """Runs the code where it was not run before.

    Attributes
    ----------
    paths : sequence of CheckedPath
    records : RecordSearch
    taken : dict
        Paths that the code was run on, and where; the others are added.
    container : callable
        Makes the data set, as the code takes it, of columns and a number of records.
    call : callable
        Runs the code.
    """

    paths: Sequence[CheckedPath]
    records: RecordSearch
    taken: dict[int, Point]
    container: Callable[[Mapping[str, Any], int], Any]
    call: Call
    runs: int = 0
    seen: set[Any] = field(default_factory=set)
    turned: set[int] = field(default_factory=set)
    met: set[int] = field(default_factory=set)
    unmet: dict[Any, ProofError] = field(default_factory=dict)
    looks: Looks = field(default_factory=Looks)

    def check(self) -> None:
        """ProofError where a path or a way has no run, or the code does there what the proof does not say."""
        starts = self.records.starts()
        for place, path in enumerate(self.paths):
            search = PointSearch(path.program, self.records.special, self.records.rng)
            if place not in self.taken and contradictory(path.conditions):
                continue
            if place not in self.taken:
                self.taken[place] = search.point(path.conditions, list(self.taken.values()))
            self._released(path, search)
            found = np.concatenate([self._of_ways(place, search, starts), starts[1 : 1 + BESIDE]])
            self._ranges(path, self.taken[place], np.concatenate([found, starts]))
            starts = np.concatenate([found, starts])[: 2 * RECORDS]
            self._play(place, search, self.taken[place], path.conditions, found)
            self._rare(place, found)
            self._sides(place, search, np.concatenate([found[:2], starts[1 : 1 + BESIDE]]))
        for problem in self.unmet.values():
            raise problem

    def _released(self, path: CheckedPath, search: PointSearch) -> None:
        """ProofError where what is computed of released values lies outside of what the proof says that it can be."""
        for far in np.repeat(FAR, POINTS):
            public, here = PublicEvaluation(path.program, search.anywhere(float(far))), False
            with np.errstate(all="ignore"), suppress(ArithmeticError, ValueError, TypeError, IndexError):
                here = all(bool(np.all(public.of(node))) is truth for node, truth in path.conditions)
                for node in path.program.nodes if here else ():
                    if node.level == "public" and node.op != "random":
                        public.of(node)
            if here:  # not within the block above, which ignores a ValueError: a ProofError is one
                check_public(public)

    def _rare(self, place: int, found: Any) -> None:
        """Run the code on records at which values that no path before had are least, greatest or NaN."""
        path, point = self.paths[place], self.taken[place]
        new = {self.looks.of(path.program, node): node for node in path.program.nodes if node.level == "record"}
        nodes = [node for look, node in new.items() if look not in self.met and node.kind not in ("bool", TEXT)]
        self.met |= set(new)
        points = extremes(self.records, PublicEvaluation(path.program, point), nodes) if nodes else found[:0]
        if path.program.relation == "replace":
            whole = np.concatenate([points, *[found[:1]] * (-len(points) % point.size)])
            rows = np.split(whole, len(whole) // point.size) if len(whole) else []
        else:
            rows = [points[:0], points] if len(points) else []
        if rows:
            self._ranges(path, point, points)
            with suppress(DecidedByRoundingError):
                play(self.paths, self._columns(rows), self.call, point.seed, point.target)
            check_moved([path], self.records.made(points), len(points), point)

    def _ranges(self, path: CheckedPath, point: Point, points: Any) -> None:
        """ProofError where a record's value lies outside of what the proof says that it can be."""
        public = PublicEvaluation(path.program, point)
        with np.errstate(all="ignore"):
            check_records(OfRecords(self.records.made(points), len(points), public, {}), path.program.nodes)

    def _sides(self, place: int, search: PointSearch, found: Any) -> None:
        """Run the code on both sides of conditions that the path does not ask, and of choices between two values."""
        path = self.paths[place]
        points = [self.taken[place]]
        for side in sides(path.program, "public"):
            way, key = [*path.conditions, side], (self.looks.of(path.program, side[0]), side[1])
            if key in self.seen or contradictory(way):
                continue
            self.seen.add(key)
            self.unmet.pop(key, None)
            if any(_met(path, each, side) for each in points):
                continue
            try:
                points.append(search.point(way, points))
            except ProofError as problem:
                if side[0] in path.program.places:
                    if side[0].shape == ():
                        raise
                    self.seen.discard(key)  # this path may ask each part of it: another path meets the side
                    self.unmet[key] = problem
                continue  # of the lesser of two values: it may always be the same one
            self._play(place, search, points[-1], way, found)
        for turn in turns(path.program, "public"):
            turned = self.looks.of(path.program, turn[0].inputs[0])
            if turned in self.turned:
                continue
            self.turned.add(turned)
            for point in search.edges(turn, path.conditions, points):
                with suppress(DecidedByRoundingError):
                    self._run(place, point, found)

    def _play(self, place: int, search: PointSearch, point: Point, way: Sequence[Condition], found: Any) -> None:
        """Run the code at a point on data sets of these records."""
        for inside in (False, True):
            if inside:
                point = search.point(way, [point], inside=True)
            with suppress(DecidedByRoundingError):
                gone = play(self.paths, self._data_sets(found, point), self.call, point.seed, point.target)
                if set(gone) == {place}:
                    check_moved([self.paths[place]], self.records.made(found), len(found), point)
                    return
        raise DecidedByRoundingError("released values at which rounding decides which way the code goes")

    def _data_sets(self, found: Any, point: Point) -> list[Any]:
        if self.paths[0].program.relation == "replace":
            rows = [np.concatenate([each[None], np.repeat(found[:1], point.size - 1, axis=0)]) for each in found]
        else:
            rows = [found[:0], *(each[None] for each in found), found]
        return self._columns(rows)

    def _columns(self, rows: Sequence[Any]) -> list[Any]:
        self.runs += len(rows)
        if self.runs > MOST_RUNS:
            raise ProofError(f"more than {MOST_RUNS:,} ways through the code")
        columns = [(self.records.made(each), len(each)) for each in rows]
        return [(each, size, partial(self.container, each, size)) for each, size in columns]

    def _of_ways(self, place: int, search: PointSearch, starts: Any) -> Any:
        """Records, one at least for each way, and for each side of each choice; or it is run at other released values.

        ProofError for a way that nothing goes.
        """
        path, point = self.paths[place], self.taken[place]
        public = PublicEvaluation(path.program, point)
        found = [starts[0]]
        for way in [*path.ways, *([each] for each in sides(path.program, "record"))]:
            if contradictory(way) or self.records.first(way, public, np.asarray(found)) is not None:
                continue
            at = self.records.first(way, public, starts)
            record = starts[at] if at is not None else self.records.of_way(way, public, starts)
            if record is not None:
                found.append(record)
            else:
                self._elsewhere(place, search, way, starts)
        one = OfRecords(self.records.made(starts[1:2]), 1, public, {})
        beside = [*turns(path.program, "record"), *jumps(path.program, one)]
        near = [self.records.edges([each], public, starts[:BASES]) for each in beside]
        return np.concatenate([np.asarray(found), *near])

    def _elsewhere(self, place: int, search: PointSearch, way: Sequence[Condition], starts: Any) -> None:
        """Run the code where released values and a record that goes the way were found together."""
        path = self.paths[place]
        found = JointSearch(path, search, self.records).found(way, self.taken[place], starts)
        if found is None:
            raise ProofError(f"no record was found that goes one way through the code: {words(way)}")
        point, record = found
        self._run(place, point, np.stack([record, *starts[:BESIDE]]))

    def _run(self, place: int, point: Point, records: Any) -> None:
        """Run the code at this very point."""
        self._ranges(self.paths[place], point, records)
        if set(play(self.paths, self._data_sets(records, point), self.call, point.seed, point.target)) != {place}:
            raise DecidedByRoundingError("released values at which rounding decides which way the code goes")
        check_moved([self.paths[place]], self.records.made(records), len(records), point)


def _met(path: CheckedPath, point: Point, side: Condition) -> bool:
    with np.errstate(all="ignore"):
        return bool(met_by(PublicEvaluation(path.program, point), side, 0)[0])
