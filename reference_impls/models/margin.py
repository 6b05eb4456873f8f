"""Linear binary classifiers as functions of the margins y w.x: clipped objective and gradient of a whole table.

A loss of :mod:`reference_impls.models.linear_loss` with labels -1 and +1 is a function of the margin, and along a ray
``w - eta g`` the margins are ``y w.x - eta y g.x``: two products with the table, then only losses. The objective is
BLSGD's clipped sum (see :mod:`reference_impls.models.loss_sums`), the gradient its Algorithm 2, line 5:
``sum_i clip(grad f(w; d_i), C)`` with ``clip(g, C) = g / max(1, |g| / C)`` (6).

Limits: no regularisation term (the paper adds 0.001 |w|^2 for all models; whether that depends on the number of
records is not said). Products are einsums, not ``@``: BLAS adds in an order that depends on the number of threads.

Not to be confused with :meth:`reference_impls.models.linear.LinearModel.gradient`, the same sum over a batch, record by
record in a kernel (equal up to rounding).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from reference_impls.models.linear import TEXTS, LinearModel, row_norms
from reference_impls.models.linear_loss import linear_loss, linear_slope
from reference_impls.models.loss_sums import clipped_sum
from reference_impls.models.model import find_model
from reference_impls.named_by_text import NamedBy

Float = NDArray[np.float64]


def margin_model(text: str) -> LinearModel:
    """The linear model that a text names.

    Raises
    ------
    InputError
        When the text names no model, or one that is not linear.
    """
    found = find_model(text)
    if not isinstance(found, LinearModel):
        raise InputError(f"model {text!r}, which has no margins", allowed=TEXTS)
    return found


LinearModelText = Annotated[str, NamedBy(margin_model)]
"""A text that names a linear model."""


def margins(table: Table, weights: Float) -> Float:
    """y_i w.x_i for every record: float64, shape (n,); labels must be -1 or +1."""
    table.need_labels()
    return np.asarray(table.labels * np.einsum("ij,j->i", table.features, weights), dtype=np.float64)


def clipped_objective(model: LinearModel, at: Float, clip: float) -> tuple[float, float]:
    """The sum over records of min(loss, clip), as a float64 and its rounding error.

    Parameters
    ----------
    at : float64, shape (n,)
        Margins.
    clip : float
        Upper bound on every loss, C_obj; inf for none.

    Returns
    -------
    (total, lost)
        ``total + lost`` is the sum to about twice float64's precision.
    """
    total, lost = clipped_sum(margin_losses(model.code, model.h_bar, at), clip)
    return float(total), float(lost)


def clipped_gradient(model: LinearModel, table: Table, weights: Float, clip: float) -> Float:
    """The sum over records of the gradient by the weights, each record's scaled down to L2 norm <= `clip`.

    Returns
    -------
    float64, shape (d,)
        Adding or removing a record moves it by at most `clip` in L2 (up to rounding of the sum, about 1e-16 n clip).
    """
    slopes = margin_slopes(model.code, model.h_bar, margins(table, weights)) * table.labels
    scaled = slopes / np.maximum(1.0, np.abs(slopes) * row_norms(table) / clip)
    return np.asarray(np.einsum("i,ij->j", scaled, table.features), dtype=np.float64)


@njit(cache=True, nogil=True)
def margin_losses(code: int, h_bar: float, at: Float) -> Float:
    """Losses at margins, shape (n,)."""
    out = np.empty(at.size)
    for i in range(at.size):
        out[i] = linear_loss(code, h_bar, at[i], 1.0)
    return out


@njit(cache=True, nogil=True)
def margin_slopes(code: int, h_bar: float, at: Float) -> Float:
    """Their derivatives by the margin, shape (n,)."""
    out = np.empty(at.size)
    for i in range(at.size):
        out[i] = linear_slope(code, h_bar, at[i], 1.0)
    return out
