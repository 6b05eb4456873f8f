"""Released values and one record, found together, where no record goes a way at the released values at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.proofs.certificate import CheckedPath
from dpverify.proofs.points import Point, PointSearch, PublicEvaluation, ancestors, coordinates, places_of
from dpverify.proofs.record_search import OfRecords, RecordSearch
from dpverify.proofs.solved import solve
from dpverify.proofs.ways import Condition, apart, met_by

RECORDS = 12
"""Records that the search starts with, each at all released values that it starts with."""


@dataclass
class JointSearch:
    """Looks for released values that take a path, and a record that goes a way there."""

    path: CheckedPath
    search: PointSearch
    records: RecordSearch

    def found(self, way: Sequence[Condition], point: Point, starts: Any) -> tuple[Point, Any] | None:
        """The released values and the record, or None where none were found."""
        path, way = apart(self.path.conditions), apart(way)
        places = places_of(self.path.program)
        count = sum(math.prod(node.shape) for node in places)
        moved = coordinates(ancestors([node for node, _ in (*path, *way)]), places)
        rows = [[*numbers, *each] for numbers in self.search.starts([point], count) for each in starts[:RECORDS]]
        asked = self._asked(path, way, point, count)
        solved = solve(asked, rows, self.search.special, [*moved, *range(count, count + self.records.width)])
        return None if solved is None else (Point(list(solved[:count]), point.seed, point.size), solved[count:])

    def _asked(self, path: Sequence[Condition], way: Sequence[Condition], point: Point, count: int) -> Any:
        def asked(points: Any, m: int) -> tuple[Any, Any]:
            met = np.zeros((len(points), len(path) + len(way)), dtype=bool)
            sign = np.full(len(points), math.nan)
            with np.errstate(all="ignore"):
                for row, numbers in enumerate(points):
                    public = PublicEvaluation(self.path.program, Point(list(numbers[:count]), point.seed, point.size))
                    one = OfRecords(self.records.made(numbers[None, count:]), 1, public, {})
                    for place, each in enumerate((*path, *way)):
                        lead = int(place >= len(path))
                        try:
                            found, own = met_by(one if lead else public, each, lead)
                        except (ArithmeticError, ValueError, TypeError, IndexError):
                            break
                        met[row, place] = bool(np.all(found))
                        if place == m:
                            sign[row] = np.ravel(own)[0]
                        if place >= m and not met[row, place]:
                            break
            return met, sign

        return asked
