"""Sums of losses where one weight is moved, for each weight in turn: only records with that feature change theirs.

Against :func:`~reference_impls.models.loss_sums.summed_loss` at the moved weights themselves a sum is off by at most
about 1e-15 for each record, 1e-15 of itself, and what the scores round.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from reference_impls.models.linear_loss import linear_loss
from reference_impls.models.sparse_rows import Rows

Float = NDArray[np.float64]


@njit(cache=True, nogil=True)
def coordinate_sums(out: Float, code: int, h_bar: float, scores: Float, labels: Float, rows: Rows, size: float) -> None:
    """Write the sums of the losses at w + size e_j and w - size e_j into `out`, one after the other for each j.

    Parameters
    ----------
    scores, labels : float64, shape (n,)
        w.x and the label of each record.
    out : float64, shape (2 d,)
    """
    starts, columns, values = rows
    out[:] = 0.0
    whole = 0.0
    for i in range(scores.size):
        loss = linear_loss(code, h_bar, scores[i], labels[i])
        whole += loss
        for k in range(starts[i], starts[i + 1]):
            j, step = columns[k], size * values[k]
            out[2 * j] += linear_loss(code, h_bar, scores[i] + step, labels[i]) - loss
            out[2 * j + 1] += linear_loss(code, h_bar, scores[i] - step, labels[i]) - loss
    out += whole
