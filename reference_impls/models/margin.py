"""Linear binary classifiers whose loss is a function of the margin y w.x: the clipped sum objective and gradient.

A model is one file with a ``MODEL``; :func:`margin_model` finds it by name, so a new loss is a new file and no list.
The objective is BLSGD's: ``f(w; D) = sum_i min(f(w; d_i), clip)`` (after Theorem 1), the gradient its Algorithm 2,
line 5: ``sum_i clip(grad f(w; d_i), C)`` with ``clip(g, C) = g / max(1, |g| / C)`` (6).

Limits: no regularisation term (the paper adds 0.001 |w|^2 for all models; whether that depends on the number of
records is not said). Sums are compensated, so the query's rounding error does not grow with n, nor with the order of
the records: a sensitivity that holds on paper then holds in floating point up to two units in the last place of the
sum. Products are einsums and no ``@``: a BLAS adds in another order on another number of threads.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginModel:
    """A loss of the margin.

    Attributes
    ----------
    name : str
        ``logistic``, ``huber-svm`` ...
    losses, slopes : callable
        float64 margins of shape (n,) to the loss, and to its derivative by the margin, shape (n,); any finite margin.
    """

    name: str
    losses: Callable[[Float], Float]
    slopes: Callable[[Float], Float]


def margin_model(name: str) -> MarginModel:
    """The model in ``reference_impls/models/<name>.py`` (with underscores for the hyphens).

    Raises
    ------
    InputError
        When there is none of that name.
    """
    package = __name__.rpartition(".")[0]
    names = sorted(info.name for info in pkgutil.iter_modules([str(Path(__file__).parent)]))
    module = name.replace("-", "_")
    found = getattr(importlib.import_module(f"{package}.{module}"), "MODEL", None) if module in names else None
    if not isinstance(found, MarginModel) or found.name != name:
        known = [
            model.name
            for model in (getattr(importlib.import_module(f"{package}.{other}"), "MODEL", None) for other in names)
            if isinstance(model, MarginModel)
        ]
        raise InputError(f"no model called {name!r}", allowed=", ".join(known))
    return found


def margins(table: Table, weights: Float) -> Float:
    """y_i w.x_i for every record: float64, shape (n,); labels must be -1 or +1."""
    table.need_labels()
    return np.asarray(table.labels * np.einsum("ij,j->i", table.features, weights), dtype=np.float64)


def clipped_objective(model: MarginModel, at: Float, clip: float) -> tuple[float, float]:
    """The sum over records of min(loss, clip), as a float64 and what rounding took from it.

    Parameters
    ----------
    at : float64, shape (n,)
        Margins.
    clip : float
        Upper bound on every loss, C_obj; inf for none. Nothing bounds losses from below.

    Returns
    -------
    (total, lost)
        ``total + lost`` is the sum to about twice float64's precision.
    """
    total, lost = _clipped_sum(model.losses(at), clip)
    return float(total), float(lost)


def clipped_gradient(model: MarginModel, table: Table, weights: Float, clip: float) -> Float:
    """The sum over records of the gradient by the weights, each record's scaled down to L2 norm <= `clip`.

    Returns
    -------
    float64, shape (d,)
        Adding or removing a record moves it by at most `clip` in L2 (up to rounding of the sum, about 1e-16 n clip).
    """
    slopes = model.slopes(margins(table, weights)) * table.labels
    norms = np.abs(slopes) * np.sqrt(np.einsum("ij,ij->i", table.features, table.features))
    scaled = slopes / np.maximum(1.0, norms / clip)
    return np.asarray(np.einsum("i,ij->j", scaled, table.features), dtype=np.float64)


@njit(cache=True, nogil=True)
def _clipped_sum(values: Float, clip: float) -> tuple[float, float]:
    """Neumaier's sum (1974) of min(value, clip), its compensation kept apart."""
    total = 0.0
    lost = 0.0
    for value in values:
        term = min(value, clip)
        moved = total + term
        lost += (total - moved) + term if abs(total) >= abs(term) else (term - moved) + total
        total = moved
    return total, lost
