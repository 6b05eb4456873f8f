"""Scores: functions of one output; an event is "the score is above (or not above) a threshold".

Every family of events is written as a score, so that one search over thresholds serves them all: coordinates and simple
statistics of a vector give half-lines; cells and tables sort pieces of the output space by their estimated likelihood
ratio, and a threshold then takes the most telling prefix (Neyman and Pearson; Bichsel et al., DP-Sniper, S&P 2021).

A score may be learned from data. It must then be fixed before the draws on which its event is certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event_outputs import Sample
from dpverify.core.protocols import Float

LISTED = 12
"""How many outcomes or intervals an event's text lists before it only counts them."""


class Score(Protocol):
    """A fixed function of one output."""

    def __call__(self, values: NDArray[Any]) -> Float:
        """Scores of the outputs `values`, shape (m,) or (m, k): shape (m,)."""
        ...

    def text(self, threshold: float, *, above: bool) -> str:
        """The event {score > threshold} (or <= threshold) in words."""
        ...

    def record(self) -> dict[str, Any]:
        """Plain JSON values that say which function it is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The set of outputs whose score is above the threshold (or not above it)."""

    score: Score
    threshold: float
    above: bool

    def hits(self, sample: Sample) -> int:
        """How many of the draws lie in the event."""
        inside = (self.score(sample.values) > self.threshold) == self.above
        return int(np.count_nonzero(inside)) if sample.weights is None else int(sample.weights[inside].sum())

    def text(self) -> str:
        """In words."""
        return self.score.text(self.threshold, above=self.above)

    def record(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"threshold": self.threshold, "above": self.above, **self.score.record()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinate:
    """The output itself (column None), or one of its coordinates."""

    column: int | None = None

    def __call__(self, values: NDArray[Any]) -> Float:
        """The coordinate."""
        column = values if self.column is None else values[:, self.column]
        return np.asarray(column, dtype=np.float64)

    def text(self, threshold: float, *, above: bool) -> str:
        """``output[2] > 0.5``."""
        name = "output" if self.column is None else f"output[{self.column}]"
        return f"{name} {_sign(above)} {threshold:.9g}"

    def record(self) -> dict[str, Any]:
        """Kind and column."""
        return {"kind": "coordinate", "column": self.column}


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
        return f"{self.name}{of} in output {_sign(above)} {threshold:.9g}"

    def record(self) -> dict[str, Any]:
        """Kind, name and value."""
        return {"kind": "statistic", "name": self.name, "value": self.value}


def _first(values: NDArray[Any], value: Any) -> Float:
    match = np.asarray(values == value)
    return np.asarray(np.where(match.any(axis=1), np.argmax(match, axis=1), values.shape[1]), dtype=np.float64)


def _last(values: NDArray[Any], value: Any) -> Float:
    width = values.shape[1]
    match = values[:, ::-1] == value
    return np.asarray(np.where(match.any(axis=1), width - 1 - np.argmax(match, axis=1), width), dtype=np.float64)


_STATISTICS: dict[str, Any] = {
    "sum": lambda values, _: np.asarray(values, dtype=np.float64).sum(axis=1),
    "max": lambda values, _: values.max(axis=1),
    "min": lambda values, _: values.min(axis=1),
    "argmax": lambda values, _: values.argmax(axis=1),
    "argmin": lambda values, _: values.argmin(axis=1),
    "ties": lambda values, _: np.count_nonzero(values[:, 1:] == values[:, :-1], axis=1),
    "count": lambda values, value: np.count_nonzero(values == value, axis=1),
    "first": _first,
    "last": _last,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Higher:
    """How many coordinates are above a level of their own: adds up small shifts that all go one way.

    Attributes
    ----------
    levels : tuple of float
        One a coordinate.
    """

    levels: tuple[float, ...]

    def __call__(self, values: NDArray[Any]) -> Float:
        """The number of coordinates above their levels."""
        total = np.zeros(len(values), dtype=np.int64)
        for column, level in enumerate(self.levels):
            total += values[:, column] > level
        return total.astype(np.float64)

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule; its levels stand in the record."""
        return f"number of coordinates above their medians {_sign(above)} {threshold:.9g}"

    def record(self) -> dict[str, Any]:
        """Kind and levels."""
        return {"kind": "higher", "levels": list(self.levels)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Sum over some coordinates of a step function: the log-likelihood ratio of naive Bayes, cell by cell.

    Attributes
    ----------
    columns : tuple of int
        The coordinates; an output that is a number has the one coordinate 0.
    edges : tuple of arrays, shapes (c_j,)
        Increasing; cell i of a coordinate is [edges[i - 1], edges[i]).
    steps : tuple of arrays, shapes (c_j + 1,)
        Estimated log-ratio of each cell.
    scalar : bool
        True when outputs are plain numbers.
    """

    columns: tuple[int, ...]
    edges: tuple[Float, ...]
    steps: tuple[Float, ...]
    scalar: bool = False

    def __call__(self, values: NDArray[Any]) -> Float:
        """The sum of the steps."""
        total = np.zeros(len(values))
        for column, edges, steps in zip(self.columns, self.edges, self.steps, strict=True):
            x = values if values.ndim == 1 else values[:, column]
            total += steps[np.searchsorted(edges, np.asarray(x, dtype=np.float64), side="right")]
        return total

    def text(self, threshold: float, *, above: bool) -> str:
        """A union of intervals for a number, else the rule."""
        if len(self.columns) > 1:
            return f"sum of {len(self.columns)} coordinates' log-ratio tables {_sign(above)} {threshold:.9g}"
        spans = self.intervals(threshold, above=above)
        shown = ", ".join(_span(low, high) for low, high in spans[:LISTED])
        more = f" and {len(spans) - LISTED} more" if len(spans) > LISTED else ""
        return f"{'output' if self.scalar else f'output[{self.columns[0]}]'} in {shown}{more}"

    def intervals(self, threshold: float, *, above: bool) -> list[tuple[float, float]]:
        """The event as disjoint intervals [low, high); only for a single coordinate."""
        inside = (self.steps[0] > threshold) == above
        bounds = np.concatenate([[-np.inf], self.edges[0], [np.inf]])
        spans: list[tuple[float, float]] = []
        for i in np.flatnonzero(inside):
            low, high = float(bounds[i]), float(bounds[i + 1])
            if spans and spans[-1][1] == low:
                spans[-1] = (spans[-1][0], high)
            else:
                spans.append((low, high))
        return spans

    def record(self) -> dict[str, Any]:
        """Kind, columns, edges and steps in full: the score can be computed again."""
        return {
            "kind": "cells",
            "columns": list(self.columns),
            "edges": [edges.tolist() for edges in self.edges],
            "steps": [steps.tolist() for steps in self.steps],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The estimated log-ratio of whole outputs, for alphabets that were seen to be small; 0 for outputs not seen.

    Attributes
    ----------
    keys : uint64, shape (m,), increasing
        One key an outcome; see `row_keys`.
    ratios : float64, shape (m,)
    outcomes : array, shape (m,) or (m, k)
        The outcomes, for the text.
    """

    keys: NDArray[np.uint64]
    ratios: Float
    outcomes: NDArray[Any]

    def __call__(self, values: NDArray[Any]) -> Float:
        """The ratio looked up."""
        keys = row_keys(values)
        place = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        return np.where(self.keys[place] == keys, self.ratios[place], 0.0)

    def text(self, threshold: float, *, above: bool) -> str:
        """The outcomes in the event, or those outside when outputs never seen belong to it."""
        unseen = (threshold < 0.0) == above
        listed = ((self.ratios > threshold) == above) != unseen
        names = [str(outcome) for outcome in self.outcomes[listed][:LISTED].tolist()]
        more = f" and {int(listed.sum()) - LISTED} more" if listed.sum() > LISTED else ""
        return f"output {'not ' if unseen else ''}in {{{', '.join(names)}}}{more}"

    def record(self) -> dict[str, Any]:
        """Kind, outcomes and ratios in full."""
        return {"kind": "table", "outcomes": self.outcomes.tolist(), "ratios": self.ratios.tolist()}


def row_keys(values: NDArray[Any]) -> NDArray[np.uint64]:
    """A 64-bit key for each output; equal outputs have equal keys, -0 that of 0.

    Two outputs may share a key (probability about 2^-64 a pair): they then lie in the same events, which costs power
    and never validity.
    """
    rows = np.asarray(values, dtype=np.float64) + 0.0
    rows = rows[:, None] if rows.ndim == 1 else rows
    key = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        bits = np.ascontiguousarray(rows[:, column]).view(np.uint64)
        # splitmix64's mixing of the running key with the next number
        key = (key ^ bits) + np.uint64(0x9E3779B97F4A7C15)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        key ^= key >> np.uint64(31)
    return key


def statistics_of(sample: Sample, values: Sequence[float]) -> list[Score]:
    """The simple statistics of vector outputs; index and count statistics for the given frequent `values`."""
    if sample.width == 1:
        return []
    names = ["sum", "max", "min", "argmax", "argmin", "ties"]
    scores: list[Score] = [Statistic(name=name) for name in names]
    return scores + [Statistic(name=name, value=value) for value in values for name in ("first", "last", "count")]


def _span(low: float, high: float) -> str:
    """An interval, or the one number that it holds."""
    return f"{{{low:.9g}}}" if high == np.nextafter(low, np.inf) else f"[{low:.9g}, {high:.9g})"


def _sign(above: bool) -> str:
    return ">" if above else "<="
