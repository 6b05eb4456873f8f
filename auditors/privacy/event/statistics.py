"""Simple statistics of a vector output, as scores: extremes, where a value stands first or last, how often it comes.

They say in one number what a vector mechanism's leak often comes down to (where a run stopped, how many answers were
"above"), without learning anything. Written column by column, as samples lie in memory: a statistic of a row that
looks at whole rows takes several times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from auditors.privacy.event.outputs import Sample
from auditors.privacy.event.scores import Score, sign
from dpverify.core.protocols import Float

ENOUGH, MANY = 2**14, 2**18
"""Draws that medians are read off, and draws a side that say which way a coordinate moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """A simple statistic of a vector output.

    Attributes
    ----------
    name : str
        ``sum``, ``max``, ``min``, ``argmax``, ``argmin``, ``ties`` (neighbouring coordinates that are equal), or, with
        `value`: ``first`` and ``last`` (index of the value; the length where it is absent) and ``count``.
    value : float or None
        For the last three.
    """

    name: str
    value: float | None = None

    def __call__(self, values: NDArray[Any]) -> Float:
        """The statistic of each row."""
        result = _STATISTICS[self.name](values, self.value)
        return np.asarray(result, dtype=np.float64)

    def text(self, threshold: float, *, above: bool) -> str:
        """``max of output > 3``."""
        of = (
            "" if self.value is None else f" index of {self.value:g}" if self.name != "count" else f" of {self.value:g}"
        )
        return f"{self.name}{of} in output {sign(above)} {threshold:.9g}"

    def record(self) -> dict[str, Any]:
        """Kind, name and value."""
        return {"kind": "statistic", "name": self.name, "value": self.value}


def _first(values: NDArray[Any], value: Any) -> NDArray[np.int64]:
    width = values.shape[1]
    return np.asarray(width - _rank(values, value, range(width, 0, -1)))


def _last(values: NDArray[Any], value: Any) -> NDArray[np.int64]:
    width = values.shape[1]
    rank = _rank(values, value, range(1, width + 1))
    return np.where(rank > 0, rank - 1, width)


def _rank(values: NDArray[Any], value: Any, ranks: Iterable[int]) -> NDArray[np.int64]:
    """The largest rank of a coordinate that equals `value`, 0 where none does; one rank > 0 a coordinate."""
    best = np.zeros(len(values), dtype=np.int64)
    for column, rank in enumerate(ranks):
        np.maximum(best, (values[:, column] == value) * rank, out=best)
    return best


def _argmax(values: NDArray[Any], _: Any) -> NDArray[np.int64]:
    """Index of the first of the largest."""
    place, largest = np.zeros(len(values), dtype=np.int64), values[:, 0]
    for column in range(1, values.shape[1]):
        np.maximum(place, (values[:, column] > largest) * column, out=place)
        largest = np.maximum(largest, values[:, column])
    return place


def _argmin(values: NDArray[Any], _: Any) -> NDArray[np.int64]:
    """Index of the first of the smallest."""
    place, smallest = np.zeros(len(values), dtype=np.int64), values[:, 0]
    for column in range(1, values.shape[1]):
        np.maximum(place, (values[:, column] < smallest) * column, out=place)
        smallest = np.minimum(smallest, values[:, column])
    return place


def _count(values: NDArray[Any], value: Any) -> NDArray[np.int64]:
    total = np.zeros(len(values), dtype=np.int64)
    for column in range(values.shape[1]):
        total += values[:, column] == value
    return total


def _ties(values: NDArray[Any], _: Any) -> NDArray[np.int64]:
    total = np.zeros(len(values), dtype=np.int64)
    for column in range(1, values.shape[1]):
        total += values[:, column] == values[:, column - 1]
    return total


_STATISTICS: dict[str, Any] = {
    "sum": lambda values, _: np.asarray(values, dtype=np.float64).sum(axis=1),
    "max": lambda values, _: values.max(axis=1),
    "min": lambda values, _: values.min(axis=1),
    "argmax": _argmax,
    "argmin": _argmin,
    "ties": _ties,
    "count": _count,
    "first": _first,
    "last": _last,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Higher:
    """How many coordinates are above a level of their own: adds up small shifts.

    Attributes
    ----------
    levels : tuple of float
        One a coordinate.
    signs : tuple of float
        1, or -1 for a coordinate that moves the other way and is subtracted, or 0; empty where all go one way.
    steps : bool
        True for the differences of neighbouring coordinates (the first is taken as it is).
    """

    levels: tuple[float, ...]
    signs: tuple[float, ...] = ()
    steps: bool = False

    def __call__(self, values: NDArray[Any]) -> Float:
        """The number of coordinates above their levels."""
        total = np.zeros(len(values))
        signs = np.array(self.signs) if self.signs else np.ones(len(self.levels))
        _add_higher(values, np.array(self.levels), signs, self.steps, total)
        return total

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule; its levels stand in the record."""
        what = "steps" if self.steps else "coordinates"
        weighed = "number of" if not self.signs else "signed number of"
        return f"{weighed} {what} above their medians {sign(above)} {threshold:.9g}"

    def record(self) -> dict[str, Any]:
        """Kind and levels."""
        return {"kind": "higher", "levels": list(self.levels), "signs": list(self.signs), "steps": self.steps}


@njit(cache=True, nogil=True)
def _add_higher(values: NDArray[Any], levels: Float, signs: Float, steps: bool, total: Float) -> None:
    for column in range(levels.size):
        level, sign = levels[column], signs[column]
        if sign == 0.0:
            continue
        if steps and column > 0:
            for i in range(total.size):
                total[i] += sign * (values[i, column] - values[i, column - 1] > level)
        else:
            for i in range(total.size):
                total[i] += sign * (values[i, column] > level)


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
    """Of each coordinate, over the first draws of both samples together."""
    pooled = np.concatenate([first.values[: ENOUGH // 2], second.values[: ENOUGH // 2]])
    return tuple(np.median(pooled, axis=0).tolist())
