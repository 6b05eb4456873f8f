"""Add or remove one record of a labelled table of real data.

The data set is `space.size` records of the named data set `space.data` (all of them when it has no more), always the
same ones; its neighbour lacks one of them, has one of them twice, or has a record that the data could hold at worst:
every feature at an end of [low, high]. Which end follows the covariance of features and labels, along which the first
gradients of a linear model point, cut at a threshold; columns that are constant in the data (the intercept) keep their
value.

Limits: one data set and its neighbours, so a search here says nothing about other data. `space.low` and `space.high`
are the range of a feature, not of a query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.dataset import load_table
from dpverify.datasets.neighbors.continuum import Continuum
from dpverify.datasets.table import Table

_SUBSET_SEED = 0  # which records make up a subset: part of the relation's definition, never an audit's randomness
_LARGE, _FEW = 5_000, 8
_CUTS = (0.5, 0.0, 1.0, 0.25, 0.75)


class TableContinuum(Continuum):
    """Base of generators whose pairs are a data set and the same with one record changed: as listed, then as drawn."""

    __slots__ = ()

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """At most `limit` pairs, fewer for large data sets; none is compared with another."""
        most = few(space, limit)
        return list(islice(chain(self.listed(space), self.drawn(space, most, rng=rng)), most))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecords(TableContinuum):
    """Generator ``add-remove/table``.

    The box, shape (3, 2): where the covariance is cut (a quantile: features above it go to `high`, the others to
    `low`), a factor in [0, 1] on all features but the constant ones, and the label (below one half: -1). `d0` is the
    data, `d1` has the record; auditors look both ways.
    """

    name: str = "add-remove/table"
    relation: str = "add-remove"

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when both are tables and one is the other plus one record, in any order; all numbers are compared."""
        if not isinstance(d0, Table) or not isinstance(d1, Table):
            return f"d0 is a {type(d0).__name__} and d1 a {type(d1).__name__}: both must be tables"
        if d0.columns != d1.columns:
            return f"d0 has {d0.columns} columns and d1 has {d1.columns}"
        if abs(d0.rows - d1.rows) != 1:
            return f"d0 has {d0.rows} records and d1 has {d1.rows}: the sizes must differ by exactly one"
        larger, smaller = (_rows(d0), _rows(d1)) if d0.rows > d1.rows else (_rows(d1), _rows(d0))
        same = (larger[:-1] == smaller).all(axis=1)
        place = int(np.argmin(same)) if not same.all() else len(smaller)
        if (larger[place + 1 :] == smaller[place:]).all():
            return None
        missing = Counter(row.tobytes() for row in smaller) - Counter(row.tobytes() for row in larger)
        if missing:
            return f"{missing.total()} records of the smaller data set are not in the larger one"
        return None

    def box(self, space: SearchSpace) -> Float:
        """Bounds, shape (3, 2)."""
        return np.array([[0.0, 1.0]] * 3)

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The data, and the data with a record at a corner of the box of features."""
        cut, factor, side = np.clip(np.asarray(vector, dtype=np.float64), 0.0, 1.0)
        data = records(space)
        label = -1.0 if side < 0.5 else 1.0
        row = corner(data, space, float(cut), float(factor))
        what = f"a record at a corner (cut {cut:.3g}, factor {factor:.3g}, label {label:+g})"
        return Pair(d0=data, d1=data.with_record(row, label, name=f"{data.name} with {what}"), label=f"{what} added")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """A worst-case record of either label added, by turns with extreme records removed and doubled."""
        data = records(space)
        telling = extremes(data)
        for turn, cut in enumerate(_CUTS):
            for side in (0.0, 1.0):
                yield self.decode(space, np.array([cut, 1.0, side]))
            for index in telling[2 * turn : 2 * turn + 2]:
                yield _removed(data, index)
                yield _doubled(data, index)

    def drawn(self, space: SearchSpace, attempts: int, *, rng: np.random.Generator) -> Iterator[Pair]:
        """Points of the box and records removed by turns."""
        data = records(space)
        for _ in range(attempts):
            yield self.decode(space, self.point(space, rng=rng))
            if data.rows:
                yield _removed(data, int(rng.integers(data.rows)))


def records(space: SearchSpace) -> Table:
    """The `space.size` records that the pairs are made from, always the same ones, in the data set's own order.

    InputError when the space names no data set, or one that is not here.
    """
    if space.data is None:
        raise InputError("a search space without a data set", allowed="a registered name in SearchSpace(data=...)")
    table = load_table(space.data)
    return table if space.size >= table.rows else _subset(table, space.size)


@lru_cache(maxsize=2)
def _subset(table: Table, size: int) -> Table:
    """The same object every time: what a subject remembers of its data holds for all pairs."""
    chosen = np.random.Generator(np.random.PCG64(_SUBSET_SEED)).permutation(table.rows)[:size]
    return table.take(np.sort(chosen), name=f"{table.name}[{size} of {table.rows}]")


@lru_cache(maxsize=2)
def _columns(data: Table) -> tuple[NDArray[np.bool_], Float]:
    """Which columns are constant, and the covariance of each with the labels (times the number of records)."""
    constant = (data.features == data.features[0]).all(axis=0)
    return constant, _by_label(data) - data.labels.sum() * data.features.mean(axis=0)


def few(space: SearchSpace, limit: int) -> int:
    """`limit`, or less for a large table, whose copies are dear and whose records are much alike."""
    return min(limit, _FEW) if space.size > _LARGE else limit


def corner(data: Table, space: SearchSpace, cut: float, factor: float) -> Float:
    """A record that the data could hold at worst: `factor` times an end of [low, high] in every changing column."""
    if not data.rows:
        return np.full(data.columns, factor * space.high)
    constant, score = _columns(data)
    threshold = np.quantile(score[~constant], cut) if (~constant).any() else 0.0
    return np.where(constant, data.features[0], factor * np.where(score > threshold, space.high, space.low))


def _by_label(data: Table) -> Float:
    """The sum of label times features; no BLAS, whose order of addition depends on its threads."""
    return np.asarray(np.einsum("i,ij->j", data.labels, data.features), dtype=np.float64)


def extremes(data: Table) -> list[int]:
    """Records of the largest and smallest norm, then of the largest and smallest score along the labels' covariance."""
    if not data.rows:
        return []
    norms = np.einsum("ij,ij->i", data.features, data.features)
    scores = np.einsum("ij,j->i", data.features, _by_label(data))
    by_label = data.labels * scores
    found = [
        np.argmax(norms),
        np.argmin(norms),
        np.argmax(scores),
        np.argmin(scores),
        np.argmax(by_label),
        np.argmin(by_label),
    ]
    return list(dict.fromkeys(int(index) for index in found))


def _removed(data: Table, index: int) -> Pair:
    return Pair(d0=data, d1=data.without(index), label=f"record {index} removed")


def _doubled(data: Table, index: int) -> Pair:
    name = f"{data.name} with record {index} twice"
    row, label = data.features[index], float(data.labels[index])
    return Pair(d0=data, d1=data.with_record(row, label, name=name), label=f"record {index} added again")


def _rows(table: Table) -> NDArray[np.float64]:
    return np.column_stack([table.features, table.labels]) + 0.0  # -0.0 and 0.0 are one number


def register(registry: Registry) -> None:
    """Put the generator into the registry."""
    registry.neighbors.add("add-remove/table", TableRecords())
