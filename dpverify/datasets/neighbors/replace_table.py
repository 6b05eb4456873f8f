"""Replace one record of a labelled table of real data by another: the relation of RSGD, ADMM and ADADP.

The data set is `space.size` records of the named data set, always the same ones (as ``add-remove/table`` takes them);
in its neighbour one record is another: a worst-case record of either label, the record with its label turned, or
another record of the data. Which places: the first, a middle one and the last (batches in order make places differ),
and those of extreme records.

Limits: one data set and its neighbours; labels -1 and +1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.neighbors.table import TableContinuum, corner, extremes, records
from dpverify.datasets.table import Table

_CUTS = (0.5, 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReplacement(TableContinuum):
    """Generator ``replace/table``.

    The box, shape (4, 2): the place as a share of the records, then as ``add-remove/table`` has them: where the
    covariance is cut, a factor on all features but the constant ones, and the label (below one half: -1). `d0` is the
    data, `d1` has the other record; auditors look both ways.
    """

    name: str = "replace/table"
    relation: str = "replace"

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when both are tables of one shape that differ in at most one place; all numbers are compared."""
        if not isinstance(d0, Table) or not isinstance(d1, Table):
            return f"d0 is a {type(d0).__name__} and d1 a {type(d1).__name__}: both must be tables"
        if d0.features.shape != d1.features.shape:
            return f"d0 has shape {d0.features.shape} and d1 has {d1.features.shape}: the shapes must agree"
        other = (d0.features != d1.features).any(axis=1) | (d0.labels != d1.labels)
        return None if other.sum() <= 1 else f"{int(other.sum())} records differ: only one may"

    def box(self, space: SearchSpace) -> Float | None:
        """Bounds, shape (4, 2); None where there is no record to replace."""
        return np.array([[0.0, 1.0]] * 4) if records(space).rows else None

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The data, and the data with a record at a corner of the box of features in one place."""
        share, cut, factor, side = np.clip(np.asarray(vector, dtype=np.float64), 0.0, 1.0)
        data = records(space)
        place = min(int(share * data.rows), data.rows - 1)
        label = -1.0 if side < 0.5 else 1.0
        row = corner(data, space, float(cut), float(factor))
        what = f"a record at a corner (cut {cut:.3g}, factor {factor:.3g}, label {label:+g}) in place of {place}"
        return Pair(d0=data, d1=data.replaced(place, row, label), label=what)

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """Worst-case records at telling places, and labels turned."""
        data = records(space)
        if not data.rows:
            return
        places = list(dict.fromkeys([data.rows - 1, 0, data.rows // 2, *extremes(data)]))
        for turn, place in enumerate(places):
            for side in (0.0, 1.0):
                share = (place + 0.5) / data.rows
                yield self.decode(space, np.array([share, _CUTS[turn % len(_CUTS)], 1.0, side]))
            yield _relabelled(data, place)

    def drawn(self, space: SearchSpace, attempts: int, *, rng: np.random.Generator) -> Iterator[Pair]:
        """Points of the box, and records in place of others, by turns; none where there is no record."""
        data = records(space)
        for _ in range(attempts if data.rows else 0):
            yield self.decode(space, self.point(space, rng=rng))
            place, other = (int(index) for index in rng.integers(data.rows, size=2))
            row, label = data.features[other], float(data.labels[other])
            yield Pair(d0=data, d1=data.replaced(place, row, label), label=f"record {other} in place of {place}")


def _relabelled(data: Table, place: int) -> Pair:
    d1 = data.replaced(place, data.features[place], -float(data.labels[place]))
    return Pair(d0=data, d1=d1, label=f"record {place} with its label turned")


def register(registry: Registry) -> None:
    """Put the generator into the registry."""
    registry.neighbors.add("replace/table", TableReplacement())
