"""Cells and tables of estimated likelihood ratios, built from one half of the selection sample.

Cells are cut at quantiles of both sides together, finer in the tails, and a value that comes often (an atom) has a cell
of its own. Ratios are smoothed by half a draw, so that an outcome seen on one side only has a finite ratio. Both sides
have the same number of draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event_outputs import Sample
from auditors.privacy.event_scores import Cells, Table, row_keys
from dpverify.core.protocols import Float

MOST_ATOMS = 256
MOST_OUTCOMES = 2048
GLANCE = 2 * MOST_OUTCOMES
SMOOTHING = 0.5
ENOUGH = 2**14
"""Outputs a side that edges are read off (counted alphabets are smaller)."""


def cells(first: Sample, second: Sample, columns: tuple[int, ...], pieces: int) -> Cells:
    """Cells of about ``1/pieces`` of both samples together, their tails cut further, with the log-ratio of each."""
    edges, steps = [], []
    for column in columns:
        pooled = np.concatenate([first.column(column)[:ENOUGH], second.column(column)[:ENOUGH]])
        found = cell_edges(pooled, _joined(first, second), pieces)
        edges.append(found)
        steps.append(_log_ratio(*(_histogram(side, column, found) for side in (first, second))))
    return Cells(columns=columns, edges=tuple(edges), steps=tuple(steps), scalar=first.values.ndim == 1)


def common_values(first: Sample, second: Sample, column: int) -> Float:
    """At most three values that make up 2 % or more of a coordinate."""
    pooled = np.concatenate([first.column(column)[:ENOUGH], second.column(column)[:ENOUGH]])
    points, counts = np.unique(np.asarray(pooled, dtype=np.float64), return_counts=True)
    return frequent(points, counts, at_least=max(8, pooled.size // 50))[:3]


def cell_edges(values: NDArray[Any], weights: NDArray[np.int64] | None, pieces: int) -> Float:
    """Increasing edges: atoms alone, the rest by quantiles."""
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
    """The values that come at least so often, the most frequent first, at most 256."""
    often = np.flatnonzero(counts >= at_least)
    return points[often[np.argsort(-counts[often], kind="stable")][:MOST_ATOMS]]


def medians(first: Sample, second: Sample) -> tuple[float, ...]:
    """Of each coordinate, over both samples together."""
    pooled = np.concatenate([first.values[: ENOUGH // 2], second.values[: ENOUGH // 2]])
    return tuple(np.median(pooled, axis=0).tolist())


def table(first: Sample, second: Sample) -> Table | None:
    """Log-ratios of whole outcomes, or None when there are too many different ones to learn anything about each."""
    weights = _joined(first, second)
    if weights is None and np.unique(row_keys(first.values[:GLANCE])).size > MOST_OUTCOMES:
        return None
    values = np.concatenate([first.values, second.values])
    keys, place, inverse = np.unique(row_keys(values), return_index=True, return_inverse=True)
    if weights is None and keys.size > min(MOST_OUTCOMES, max(2, (first.size + second.size) // 16)):
        return None
    split = len(first.values)
    left = np.bincount(inverse[:split], weights=None if weights is None else weights[:split], minlength=keys.size)
    right = np.bincount(inverse[split:], weights=None if weights is None else weights[split:], minlength=keys.size)
    return Table(keys=keys, ratios=_log_ratio(left, right), outcomes=values[place])


def _joined(first: Sample, second: Sample) -> NDArray[np.int64] | None:
    if first.weights is None or second.weights is None:
        return None
    return np.concatenate([first.weights, second.weights])


def _histogram(sample: Sample, column: int, edges: Float) -> Float:
    cell = np.searchsorted(edges, np.asarray(sample.column(column), dtype=np.float64), side="right")
    counts = np.bincount(cell, weights=sample.weights, minlength=edges.size + 1)
    return np.asarray(counts, dtype=np.float64)


def _log_ratio(first: NDArray[Any], second: NDArray[Any]) -> Float:
    return np.asarray(np.log(first + SMOOTHING) - np.log(second + SMOOTHING), dtype=np.float64)
