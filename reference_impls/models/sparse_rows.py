"""The rows of a table without their zeros: one-hot features are mostly zeros, and a kernel passes over what is left.

Made once a table, and kept in memory as long as the table is. A table without zeros takes half as much memory again as
its features, and a pass over it is slower than one over the matrix; kernels that make a pass for every candidate of a
search gain all the same.

Products leave out ``0 w``: where a weight is inf or nan they are finite, those with the matrix are not.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.datasets.table import Table

Float = NDArray[np.float64]
Rows = tuple[NDArray[np.int64], NDArray[np.int32], Float]
"""Where each row starts, shape (n + 1,); columns and values of what is not 0, shape (starts[n],)."""

_ROWS: WeakKeyDictionary[Table, Rows] = WeakKeyDictionary()


def sparse_rows(table: Table) -> Rows:
    """The table's rows without zeros, read-only."""
    found = _ROWS.get(table)
    if found is None:
        kept = table.features != 0.0
        starts = np.concatenate([[0], np.cumsum(np.count_nonzero(kept, axis=1))])
        found = starts, np.nonzero(kept)[1].astype(np.int32), table.features[kept]
        for array in found:
            array.flags.writeable = False
        _ROWS[table] = found
    return found


@njit(cache=True, nogil=True)
def sparse_scores(out: Float, weights: Float, rows: Rows) -> None:
    """Write w.x of every record into `out`, shape (n,)."""
    starts, columns, values = rows
    for i in range(out.size):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += weights[columns[k]] * values[k]
        out[i] = total


@njit(cache=True, nogil=True)
def add_sparse_gradient(out: Float, clip: float, slopes: Float, norms: Float, rows: Rows) -> None:
    """Add the clipped gradients of all records to `out`, shape (d,), given their slopes, shape (n,).

    As :func:`~reference_impls.models.linear.add_clipped_gradient`: a gradient of nan counts as zero.
    """
    starts, columns, values = rows
    for i in range(slopes.size):
        slope = slopes[i]
        if slope != slope:
            continue
        if abs(slope) * norms[i] > clip:
            slope = np.copysign(clip / norms[i], slope)
        for k in range(starts[i], starts[i + 1]):
            out[columns[k]] += slope * values[k]
