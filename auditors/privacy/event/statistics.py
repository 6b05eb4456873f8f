"""Simple statistics of a vector output, as scores: extremes, first or last index of a value, number of its occurrences.

One number often captures the leak of a vector mechanism (where a run stopped, how many answers were "above"), without
any learning. Statistics are computed column by column, as samples are stored; row by row takes several times as long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event.scores import Score, sign
from auditors.privacy.outputs import Sample
from dpverify.core.lazy_njit import njit
from dpverify.core.subjects import Float

_BLOCK = 1024  # outputs whose statistics fit into the first-level cache
ENOUGH, MANY = 2**14, 2**18
"""Draws for medians, and draws a side for the direction in which a coordinate moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """A simple statistic of a vector output."""

    name: str
    """``sum``, ``max``, ``min``, ``argmax``, ``argmin``, ``ties`` (number of equal neighbouring coordinates), or, with
    `value`: ``first`` and ``last`` (index of the value; the length where it is absent) and ``count``."""
    value: float | None = None
    """Value for the last three."""

    def __call__(self, values: NDArray[Any]) -> Float:
        """The statistic of each row."""
        if (plain := _PLAIN.get(self.name)) is not None:
            return np.asarray(plain(values), dtype=np.float64)
        return _of_columns(values, self.value, _KERNELS[self.name])

    def text(self, threshold: float, *, above: bool) -> str:
        """``max of output > 3``."""
        of = (
            "" if self.value is None else f" index of {self.value:g}" if self.name != "count" else f" of {self.value:g}"
        )
        return f"{self.name}{of} in output {sign(above)} {threshold:.9g}"

    def plain(self) -> dict[str, Any]:
        """Kind, name and value."""
        return {"kind": "statistic", "name": self.name, "value": self.value}


def _of_columns(values: NDArray[Any], value: float | None, kernel: Any) -> Float:
    found = np.zeros(len(values))
    kernel(np.ascontiguousarray(values.T), math.nan if value is None else float(value), found)
    return found


@njit(cache=True, nogil=True)
def _first(rows: NDArray[Any], value: float, found: Float) -> None:
    found[:] = len(rows)
    for start in range(0, found.size, _BLOCK):
        places = found[start : start + _BLOCK]
        for column in range(len(rows) - 1, -1, -1):
            x = rows[column][start : start + _BLOCK]
            for i in range(places.size):
                places[i] = column if x[i] == value else places[i]


@njit(cache=True, nogil=True)
def _last(rows: NDArray[Any], value: float, found: Float) -> None:
    found[:] = len(rows)
    for start in range(0, found.size, _BLOCK):
        places = found[start : start + _BLOCK]
        for column in range(len(rows)):
            x = rows[column][start : start + _BLOCK]
            for i in range(places.size):
                places[i] = column if x[i] == value else places[i]


@njit(cache=True, nogil=True)
def _count(rows: NDArray[Any], value: float, found: Float) -> None:
    for start in range(0, found.size, _BLOCK):
        total = found[start : start + _BLOCK]
        for column in range(len(rows)):
            x = rows[column][start : start + _BLOCK]
            for i in range(total.size):
                total[i] += x[i] == value


@njit(cache=True, nogil=True)
def _ties(rows: NDArray[Any], _: float, found: Float) -> None:
    for start in range(0, found.size, _BLOCK):
        total = found[start : start + _BLOCK]
        for column in range(1, len(rows)):
            x, before = rows[column][start : start + _BLOCK], rows[column - 1][start : start + _BLOCK]
            for i in range(total.size):
                total[i] += x[i] == before[i]


@njit(cache=True, nogil=True)
def _argmax(rows: NDArray[Any], _: float, found: Float) -> None:
    """Index of the first largest entry."""
    for start in range(0, found.size, _BLOCK):
        places, largest = found[start : start + _BLOCK], rows[0][start : start + _BLOCK].copy()
        for column in range(1, len(rows)):
            x = rows[column][start : start + _BLOCK]
            for i in range(places.size):
                places[i] = column if x[i] > largest[i] else places[i]
            for i in range(places.size):
                largest[i] = x[i] if x[i] > largest[i] else largest[i]


@njit(cache=True, nogil=True)
def _argmin(rows: NDArray[Any], _: float, found: Float) -> None:
    """Index of the first smallest entry."""
    for start in range(0, found.size, _BLOCK):
        places, smallest = found[start : start + _BLOCK], rows[0][start : start + _BLOCK].copy()
        for column in range(1, len(rows)):
            x = rows[column][start : start + _BLOCK]
            for i in range(places.size):
                places[i] = column if x[i] < smallest[i] else places[i]
            for i in range(places.size):
                smallest[i] = x[i] if x[i] < smallest[i] else smallest[i]


_PLAIN: dict[str, Any] = {
    "sum": lambda values: np.asarray(values, dtype=np.float64).sum(axis=1),
    "max": lambda values: values.max(axis=1),
    "min": lambda values: values.min(axis=1),
}
_KERNELS: dict[str, Any] = {
    "argmax": _argmax,
    "argmin": _argmin,
    "ties": _ties,
    "count": _count,
    "first": _first,
    "last": _last,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Higher:
    """Number of coordinates above their levels, which adds up small shifts."""

    levels: tuple[float, ...]
    """One level for each coordinate."""
    signs: tuple[float, ...] = ()
    """1, or -1 for a coordinate that moves the other way and is subtracted, or 0; empty where all move the same way."""
    steps: bool = False
    """True for differences of neighbouring coordinates (the first coordinate is used itself)."""

    def __call__(self, values: NDArray[Any]) -> Float:
        """The number of coordinates above their levels."""
        total = np.zeros(len(values))
        signs = np.array(self.signs) if self.signs else np.ones(len(self.levels))
        _add_higher(np.ascontiguousarray(values.T), np.array(self.levels), signs, self.steps, total)
        return total

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule; the record contains its levels."""
        what = "steps" if self.steps else "coordinates"
        weighed = "number of" if not self.signs else "signed number of"
        return f"{weighed} {what} above their medians {sign(above)} {threshold:.9g}"

    def plain(self) -> dict[str, Any]:
        """Kind and levels."""
        return {"kind": "higher", "levels": list(self.levels), "signs": list(self.signs), "steps": self.steps}


@njit(cache=True, nogil=True)
def _add_higher(rows: NDArray[Any], levels: Float, signs: Float, steps: bool, total: Float) -> None:
    for column in range(levels.size):
        level, sign, values = levels[column], signs[column], rows[column]
        if sign == 0.0:
            continue
        if steps and column > 0:
            before = rows[column - 1]
            for i in range(total.size):
                total[i] += sign * (values[i] - before[i] > level)
        else:
            for i in range(total.size):
                total[i] += sign * (values[i] > level)


def _stepped(values: NDArray[Any], column: int, steps: bool) -> NDArray[Any]:
    return values[:, column] - values[:, column - 1] if steps and column else values[:, column]


def statistics_of(sample: Sample, values: Sequence[float]) -> list[Score]:
    """The simple statistics of vector outputs; index and count statistics for the given frequent `values`."""
    if sample.width == 1:
        return []
    names = ["sum", "max", "min", "argmax", "argmin", "ties"]
    scores: list[Score] = [Statistic(name=name) for name in names]
    return scores + [Statistic(name=name, value=value) for value in values for name in ("first", "last", "count")]


def higher(first: Sample, second: Sample) -> list[Score]:
    """Counts of coordinates, and of steps, above pooled medians: all of them, and each in the direction it moves."""
    found: list[Score] = [Higher(levels=medians(first, second))]
    for steps in (False, True):
        levels, signs = [], []
        for column in range(first.width):
            sides = [_stepped(side.values[:MANY], column, steps) for side in (first, second)]
            level = float(np.median(np.concatenate([side[: ENOUGH // 2] for side in sides])))
            above = [float(np.count_nonzero(side > level)) / len(side) for side in sides]
            error = np.sqrt(sum(share * (1.0 - share) / len(side) for share, side in zip(above, sides, strict=True)))
            levels.append(level)
            signs.append(float(np.sign(above[0] - above[1])) if abs(above[0] - above[1]) > error else 0.0)
        if any(signs):
            found.append(Higher(levels=tuple(levels), signs=tuple(signs), steps=steps))
    return found


def medians(first: Sample, second: Sample) -> tuple[float, ...]:
    """Median of each coordinate, over the first draws of both samples together."""
    pooled = np.concatenate([first.values[: ENOUGH // 2], second.values[: ENOUGH // 2]])
    return tuple(np.median(pooled, axis=0).tolist())
