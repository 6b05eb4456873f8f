"""Sums of per-record losses, each clipped from above, added with compensated rounding.

Objective clipping (BLSGD, after Theorem 1): ``f(w; D) = sum_i min(f(w; d_i), C_obj)``, so that adding or removing a
record moves the sum by at most C_obj, as long as no loss is below 0 (nothing here bounds a loss from below; every loss
of :mod:`reference_impls.models` is >= 0). A loss of nan counts as the bound, so that the sum is never nan.

Sums are Neumaier's (1974): the rounding error depends neither on n nor on the order of the records. So a sensitivity
that holds on paper holds in floating point, too, up to two units in the last place of the sum.

Not to be confused with the mean loss F(w, D), whose sensitivity is smaller by the number of records.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.datasets.table import Table
from reference_impls.models.model import Model

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


def summed_loss(
    model: Model, weights: Float, table: Table, batch: Integer | None = None, *, clip: float = math.inf
) -> float:
    """The sum over the records of min(loss, clip).

    Parameters
    ----------
    weights : float64, shape (dimension,)
    batch : int64, shape (k,), or None
        Which records; None for all.
    clip : float
        C_obj, > 0; inf for none.

    Returns
    -------
    float
        Correctly rounded but for about one unit in the last place.
    """
    total, lost = clipped_sum(model.losses(weights, table, batch), clip)
    return float(total + lost) if math.isfinite(total) else float(total)


@njit(cache=True, nogil=True)
def clipped_sum(values: Float, clip: float) -> tuple[float, float]:
    """The sum of min(value, clip) as (total, lost); ``total + lost`` has about twice float64's precision."""
    total = 0.0
    lost = 0.0
    for value in values:
        term = value if value < clip else clip  # nan compares false, so it counts as the bound
        moved = total + term
        lost += (total - moved) + term if abs(total) >= abs(term) else (term - moved) + total
        total = moved
    return total, lost
