"""Linear models: the loss of a record is a function of its score w.x and its label.

Gradients are clipped by scaling the slope: a record's gradient is slope times x, so its norm is |slope| |x|. A gradient
that overflows is clipped to its direction. One that is nan (a score of inf - inf) counts as zero. So every record's
part of a sum has norm at most `clip`, whatever the weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated
from weakref import WeakKeyDictionary

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between, OneOf
from dpverify.datasets.table import Table
from reference_impls.models.linear_loss import LINEAR_LOSSES, linear_loss, linear_slope
from reference_impls.models.model import batch_for, weights_for
from reference_impls.models.row_lengths import row_lengths

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
TEXTS = ", ".join([*LINEAR_LOSSES, "huber-svm:H"])
H_BAR = 0.5
"""BLSGD's h-bar (section V-C)."""
SUMS = {"reassoc", "contract", "nsz"}
"""LLVM may reorder and fuse sums of products, so that they run on vectors; nan and inf keep their meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearModel(Checked):
    """A :class:`~reference_impls.models.model.Model` over d weights.

    Attributes
    ----------
    loss : str
        A name in :data:`~reference_impls.models.linear_loss.LINEAR_LOSSES`.
    h_bar : float
        Half-width of the Huberised kink, > 0; other losses ignore it.
    """

    loss: Annotated[str, OneOf(tuple(LINEAR_LOSSES))] = "logistic"
    h_bar: Annotated[float, Between(0, math.inf, open="both", remedy="the paper takes 0.5")] = H_BAR

    @property
    def name(self) -> str:
        """The text that names it."""
        return self.loss if self.loss != "huber-svm" or self.h_bar == H_BAR else f"{self.loss}:{self.h_bar!r}"

    @property
    def code(self) -> int:
        """The loss as kernels take it, see :data:`~reference_impls.models.linear_loss.LINEAR_LOSSES`."""
        return LINEAR_LOSSES[self.loss]

    def dimension(self, columns: int) -> int:
        """One weight a column; the intercept is a column of the table."""
        return columns

    def check(self, table: Table) -> None:
        """Labels -1 and +1, except for squared loss."""
        if self.loss != "squared":
            table.need_labels()

    def start(self, columns: int, *, rng: np.random.Generator) -> Float:
        """Zeros."""
        return np.zeros(columns)

    def losses(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        at, rows = weights_for(self, weights, table), batch_for(table, batch)
        return np.asarray(linear_losses(self.code, self.h_bar, at, table.features, table.labels, rows))

    def gradient(self, weights: Float, table: Table, batch: Integer | None = None, *, clip: float = math.inf) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        at, rows, norms = weights_for(self, weights, table), batch_for(table, batch), row_norms(table)
        out = np.zeros(table.columns)
        add_clipped_gradient(out, self.code, self.h_bar, clip, at, table.features, table.labels, norms, rows)
        return out

    def norms(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        at, rows = weights_for(self, weights, table), batch_for(table, batch)
        slopes = linear_slopes(self.code, self.h_bar, at, table.features, table.labels, rows)
        return np.asarray(np.abs(slopes) * row_norms(table)[rows])

    def predict(self, weights: Float, table: Table) -> Float:
        """The sign of the score (+1 at zero); for squared loss the score."""
        scores = np.einsum("ij,j->i", table.features, weights)
        return np.asarray(scores if self.loss == "squared" else np.where(scores >= 0.0, 1.0, -1.0), dtype=np.float64)


def kernel_records(model: LinearModel, table: Table) -> tuple[int, float, Float, Float, Float]:
    """Model and table as kernels take them: loss code, h_bar, features, labels, L2 norms of the rows."""
    return model.code, model.h_bar, table.features, table.labels, row_norms(table)


def build(text: str) -> LinearModel | None:
    """The model that a text names: ``logistic``, ``huber-svm``, ``huber-svm:0.1``, ``hinge``, ``squared``; or None."""
    loss, _, h_bar = text.partition(":")
    if loss not in LINEAR_LOSSES or (h_bar and loss != "huber-svm"):
        return None
    try:
        width = float(h_bar) if h_bar else H_BAR
    except ValueError:
        raise InputError(f"model {text!r}", allowed=TEXTS, remedy="write huber-svm:0.5") from None
    return LinearModel(loss=loss, h_bar=width)


_NORMS: WeakKeyDictionary[Table, Float] = WeakKeyDictionary()


def row_norms(table: Table) -> Float:
    """L2 norms of the table's rows, shape (n,), read-only; kept in memory as long as the table is."""
    norms = _NORMS.get(table)
    if norms is None:
        norms = row_lengths(table.features)
        norms.flags.writeable = False
        _NORMS[table] = norms
    return norms


@njit(cache=True, nogil=True, fastmath=SUMS)
def score_of(weights: Float, row: Float) -> float:
    """w.x for one record."""
    total = 0.0
    for j in range(weights.size):
        total += weights[j] * row[j]
    return total


@njit(cache=True, nogil=True)
def add_clipped_gradient(
    out: Float,
    code: int,
    h_bar: float,
    clip: float,
    weights: Float,
    features: Float,
    labels: Float,
    norms: Float,
    batch: Integer,
) -> None:
    """Add the clipped gradients of the records in `batch` to `out`, shape (d,); `norms` are the rows' L2 norms."""
    for i in batch:
        row = features[i]
        slope = linear_slope(code, h_bar, score_of(weights, row), labels[i])
        if slope != slope:
            continue
        if abs(slope) * norms[i] > clip:
            slope = math.copysign(clip / norms[i], slope)
        for j in range(out.size):
            out[j] += slope * row[j]


@njit(cache=True, nogil=True)
def linear_losses(code: int, h_bar: float, weights: Float, features: Float, labels: Float, batch: Integer) -> Float:
    """Losses of the records in `batch`, shape (k,)."""
    out = np.empty(batch.size)
    for k in range(batch.size):
        i = batch[k]
        out[k] = linear_loss(code, h_bar, score_of(weights, features[i]), labels[i])
    return out


@njit(cache=True, nogil=True)
def linear_slopes(code: int, h_bar: float, weights: Float, features: Float, labels: Float, batch: Integer) -> Float:
    """Derivatives of the losses by the score, shape (k,)."""
    out = np.empty(batch.size)
    for k in range(batch.size):
        i = batch[k]
        out[k] = linear_slope(code, h_bar, score_of(weights, features[i]), labels[i])
    return out
