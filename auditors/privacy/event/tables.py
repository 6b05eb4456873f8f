"""Cells and tables: scores that are estimated likelihood ratios, cell by cell or outcome by outcome.

Both are built from other draws than those on which their thresholds are tried. Cells are bounded by quantiles of both
sides together, finer in the tails, and a frequent value (an atom) has a separate cell. Ratios are smoothed by half a
draw, so that an outcome seen on one side only has a finite ratio. Both sides have the same number of draws.

Quantiles cut every part of the range at the same grain, so a narrow interval that one side prefers vanishes in a cell.
For a slope w the interval with the largest excess k0 - w k1 is the best of all intervals between draws (Kadane's
largest partial sum: Bentley, CACM 1984, here over the sorted draws of both sides); for growing slopes it is narrower
and more telling. Its ends become edges of cells, on draws that build the cells. One interval is looked for in each
slope and direction; others in the same column are left to the quantiles, and so are ends finer than a part in
`MOST_ENDS` of the draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from auditors.privacy.event.cell_lookup import add_steps, cell_numbers, look_up
from auditors.privacy.event.scores import sign
from auditors.privacy.outputs import Sample
from dpverify.core.lazy_njit import exact_njit as njit
from dpverify.core.subjects import Float

LISTED = 12
"""Most outcomes or intervals that an event's text lists; others are only counted."""

MOST_ATOMS = 256
MOST_OUTCOMES = 2048
GLANCE = 2 * MOST_OUTCOMES
SMOOTHING, STANDS_OUT = 0.5, 3.0
FEW_VALUES, FEW_ROWS = 16, 2**12
"""A coordinate is a symbol when it takes at most this many values in this many draws a side."""
ENOUGH, FOR_A_PIECE = 2**14, 2**9
"""Outputs a side for finding common values, and for the edges of each piece."""

RUNS_FOR_A_PIECE, FEW_COLUMNS = 2**11, 4
"""Outputs a side for the ends of runs, for each piece; and columns beyond which they are not looked for."""


SLOPES = np.exp(0.05 * 2.0 ** (np.arange(14) / 2.0))
"""Ratios that an interval's counts must exceed: e^0.05 to e^4.5."""

CLEARLY = 3.0
"""Standard errors by which they must do so."""

MOST_ENDS = 2**14
"""Places where an interval may end; of more draws than that, every second or third, say."""

OUTSIDE = 1 / 128
"""Share of the draws that must lie on either side of an interval: others are half-lines, which need no cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Sum over some coordinates of a step function: the log-likelihood ratio of naive Bayes, cell by cell."""

    columns: tuple[int, ...]
    """The coordinates; a scalar output has the single coordinate 0."""
    edges: tuple[Float, ...]
    """Shapes (c_j,): increasing; cell i of a coordinate is [edges[i - 1], edges[i])."""
    steps: tuple[Float, ...]
    """Shapes (c_j + 1,): estimated log-ratio of each cell."""
    scalar: bool = False
    """True when outputs are plain numbers."""

    def __call__(self, values: NDArray[Any]) -> Float:
        """The sum of the steps."""
        total = np.zeros(len(values))
        for column, edges, steps in zip(self.columns, self.edges, self.steps, strict=True):
            x = values if values.ndim == 1 else values[:, column]
            add_steps(total, x, edges, steps)
        return total

    def text(self, threshold: float, *, above: bool) -> str:
        """A union of intervals for a number, else the rule."""
        if len(self.columns) > 1:
            return f"sum of {len(self.columns)} coordinates' log-ratio tables {sign(above)} {threshold:.9g}"
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

    def plain(self) -> dict[str, Any]:
        """Kind, columns, edges and steps in full: the score can be computed again."""
        return {
            "kind": "cells",
            "columns": list(self.columns),
            "edges": [edges.tolist() for edges in self.edges],
            "steps": [steps.tolist() for steps in self.steps],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The estimated log-ratio of whole outputs, for small alphabets; 0 for outputs not seen.

    Attributes
    ----------
    keys : uint64, shape (m,), increasing
        A key for each outcome; see `row_keys`.
    ratios : float64, shape (m,)
    outcomes : array, shape (m,) or (m, k)
        The outcomes, for the text.
    columns : tuple of int, or None
        The coordinates that are looked up together; None for the whole output.
    """

    keys: NDArray[np.uint64]
    ratios: Float
    outcomes: NDArray[Any]
    columns: tuple[int, ...] | None = None

    def __call__(self, values: NDArray[Any]) -> Float:
        """The ratio of each output."""
        keys = row_keys(values, self.columns)
        found = np.zeros(keys.size)
        look_up(keys, self.keys, self.ratios, found)
        return found

    def text(self, threshold: float, *, above: bool) -> str:
        """The outcomes in the event, or those outside when outputs never seen belong to it."""
        unseen = (threshold < 0.0) == above
        listed = ((self.ratios > threshold) == above) != unseen
        names = [str(outcome) for outcome in self.outcomes[listed][:LISTED].tolist()]
        more = f" and {int(listed.sum()) - LISTED} more" if listed.sum() > LISTED else ""
        part = "" if self.columns is None else f"[{self.columns[0]}..{self.columns[-1]}]"
        return f"output{part} {'not ' if unseen else ''}in {{{', '.join(names)}}}{more}"

    def plain(self) -> dict[str, Any]:
        """Kind, outcomes and ratios in full, and the coordinates if they are not all."""
        of = {} if self.columns is None else {"columns": list(self.columns)}
        return {"kind": "table", **of, "outcomes": self.outcomes.tolist(), "ratios": self.ratios.tolist()}


def cells(first: Sample, second: Sample, columns: tuple[int, ...], pieces: int) -> Cells:
    """Cells of about ``1/pieces`` of both samples together, finer in the tails and at the ends of runs, with the
    log-ratio of each."""
    edges, steps = [], []
    for column in columns:
        few = pieces * FOR_A_PIECE if first.weights is None else None
        pooled = np.concatenate([first.column(column)[:few], second.column(column)[:few]])
        found = cell_edges(pooled, joined_weights(first, second), pieces)
        if first.weights is None and len(columns) <= FEW_COLUMNS:
            parts = (side.column(column)[: pieces * RUNS_FOR_A_PIECE] for side in (first, second))
            found = np.union1d(found, run_edges(*parts))
        edges.append(found)
        steps.append(_log_ratio(*(_histogram(side, column, found) for side in (first, second))))
    return Cells(columns=columns, edges=tuple(edges), steps=tuple(steps), scalar=first.values.ndim == 1)


def common_values(first: Sample, second: Sample, column: int) -> Float:
    """At most three values that make up 2 % or more of a coordinate."""
    pooled = np.concatenate([first.column(column)[:ENOUGH], second.column(column)[:ENOUGH]])
    points, counts = np.unique(np.asarray(pooled, dtype=np.float64), return_counts=True)
    return frequent(points, counts, at_least=max(8, pooled.size // 50))[:3]


def cell_edges(values: NDArray[Any], weights: NDArray[np.int64] | None, pieces: int) -> Float:
    """Increasing edges: atoms get separate cells, the rest is divided by quantiles."""
    if weights is None:
        points, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    else:
        order = np.argsort(values, kind="stable")
        points, start = np.unique(np.asarray(values, dtype=np.float64)[order], return_index=True)
        counts = np.add.reduceat(weights[order], start)
    total = int(counts.sum())
    atoms = frequent(points, counts, at_least=max(8, total // (4 * pieces)))
    tails = 0.5 ** np.arange(3, 12)
    shares = np.concatenate([np.arange(1, pieces) / pieces, tails / pieces, 1.0 - tails / pieces])
    place = np.searchsorted(np.cumsum(counts), shares * total)
    quantiles = points[np.minimum(place, points.size - 1)]
    return np.unique(np.concatenate([quantiles, atoms, np.nextafter(atoms, np.inf)]))


def frequent(points: Float, counts: NDArray[np.int64], *, at_least: int) -> Float:
    """The values that occur at least `least` times, the most frequent first, at most 256."""
    often = np.flatnonzero(counts >= at_least)
    return points[often[np.argsort(-counts[often], kind="stable")][:MOST_ATOMS]]


def table(first: Sample, second: Sample, columns: tuple[int, ...] | None = None) -> Table | None:
    """Log-ratios of outcomes, whole or of some neighbouring coordinates; None when there are too many to estimate."""
    weights = joined_weights(first, second)
    if weights is None and np.unique(row_keys(first.values[:GLANCE], columns)).size > MOST_OUTCOMES:
        return None
    values = np.concatenate([first.values, second.values])
    keys, place, inverse = np.unique(row_keys(values, columns), return_index=True, return_inverse=True)
    if weights is None and keys.size > min(MOST_OUTCOMES, max(2, (first.size + second.size) // 16)):
        return None
    split = len(first.values)
    left = np.bincount(inverse[:split], weights=None if weights is None else weights[:split], minlength=keys.size)
    right = np.bincount(inverse[split:], weights=None if weights is None else weights[split:], minlength=keys.size)
    outcomes = values[place] if columns is None else values[place][:, list(columns)]
    return Table(keys=keys, ratios=_log_ratio(left, right), outcomes=outcomes, columns=columns)


def block_tables(first: Sample, second: Sample) -> list[Table]:
    """A table of each run of two or more neighbouring coordinates that are symbols, where it is not the whole output.

    Answers that stop a run reveal little one by one and much together, and real numbers may be beside them.
    """
    if first.values.ndim == 1:
        return []
    few = [
        np.unique(np.concatenate([side.column(column)[:FEW_ROWS] for side in (first, second)])).size <= FEW_VALUES
        for column in range(first.width)
    ]
    ends = np.flatnonzero(np.diff(np.concatenate([[False], few, [False]]).astype(np.int8)))
    runs = [tuple(range(start, stop)) for start, stop in ends.reshape(-1, 2).tolist()]
    found = [table(first, second, run) for run in runs if 1 < len(run) < first.width]
    return [one for one in found if one is not None]


def joined_weights(first: Sample, second: Sample) -> NDArray[np.int64] | None:
    """The counts of both samples, one after the other; None where draws are not counted."""
    if first.weights is None or second.weights is None:
        return None
    return np.concatenate([first.weights, second.weights])


def _histogram(sample: Sample, column: int, edges: Float) -> Float:
    cell = cell_numbers(sample.column(column), edges)
    counts = np.bincount(cell, weights=sample.weights, minlength=edges.size + 1)
    return np.asarray(counts, dtype=np.float64)


def _log_ratio(first: NDArray[Any], second: NDArray[Any]) -> Float:
    """Log-ratio of the counts of each cell, shrunk towards 0 unless it is significant.

    The shrinkage is larger, the less all ratios vary compared with the counting error (empirical Bayes of limited
    translation: Efron and Morris, JASA 1972).
    """
    left, right = first + SMOOTHING, second + SMOOTHING
    ratio, noise = np.log(left) - np.log(right), 1.0 / left + 1.0 / right
    deviance = 2.0 * (special.xlogy(first, 2.0 * first) + special.xlogy(second, 2.0 * second))
    deviance -= 2.0 * special.xlogy(first + second, first + second)
    plain = deviance <= STANDS_OUT**2
    scatter = float(np.sum((ratio * ratio / noise - 1.0)[plain]) / max(float(np.sum(1.0 / noise[plain])), 1e-300))
    return np.asarray(np.where(plain, ratio * (max(scatter, 0.0) / (max(scatter, 0.0) + noise)), ratio))


def row_keys(values: NDArray[Any], columns: tuple[int, ...] | None = None) -> NDArray[np.uint64]:
    """A 64-bit key for each output (or for some of its coordinates together); equal outputs have equal keys.

    The key of -0 is that of 0. Two outputs may share a key (probability about 2^-64 a pair). They are then in the same
    events, which costs power but not validity.
    """
    rows = values[:, None] if values.ndim == 1 else values
    key = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]) if columns is None else columns:
        _mix(key, np.ascontiguousarray(rows[:, column] + 0.0, dtype=np.float64).view(np.uint64))
    return key


@njit(cache=True, nogil=True)
def _mix(key: NDArray[np.uint64], bits: NDArray[np.uint64]) -> None:
    """splitmix64's mixing of the running key with the next number."""
    for i in range(key.size):
        word = (key[i] ^ bits[i]) + np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        key[i] = word ^ (word >> np.uint64(31))


def _span(low: float, high: float) -> str:
    """Text of an interval, or of the only number in it."""
    return f"{{{low:.9g}}}" if high == np.nextafter(low, np.inf) else f"[{low:.9g}, {high:.9g})"


def run_edges(first: NDArray[np.generic], second: NDArray[np.generic]) -> Float:
    """Ends of the intervals that one side clearly prefers, increasing, as edges of cells [edge, next edge).

    `first`, `second`, shapes (m,), (n,): draws of d0 and of d1.
    """
    values = np.concatenate([first, second]).astype(np.float64, copy=False)
    order = np.argsort(values)
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] > ordered[:-1]]))
    places = np.append(starts[:: -(-starts.size // MOST_ENDS)], values.size)
    before = np.concatenate([[0], np.cumsum(order < first.size)])[places].astype(np.float64)
    sides = before, places - before
    found = []
    for more, less in (sides, sides[::-1]):
        for slope in SLOPES:
            excess = more - slope * less
            gain = excess - np.minimum.accumulate(excess)
            stop = int(np.argmax(gain))
            start = int(np.argmin(excess[: stop + 1]))
            inside = min(places[start], values.size - places[stop]) > OUTSIDE * values.size
            k1, k2 = more[stop] - more[start], less[stop] - less[start]
            if inside and gain[stop] > CLEARLY * np.sqrt(k1 + slope * slope * max(k2, 1.0)):
                found += [places[start], places[stop]]
    return np.unique(ordered[np.array(found, dtype=np.int64)])
