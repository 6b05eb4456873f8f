"""Softmax regression: K classes, a score w_k.x for each, the loss -log of the true class's share of exp(score).

Weights are one flat vector, class by class: ``weights.reshape(K, d)``. Labels are 0 .. K - 1. A record's gradient is
the outer product of ``p - e_y`` and x, so its L2 norm is ``|p - e_y| |x|`` and it is clipped without being built. As in
:mod:`reference_impls.models.linear`, a gradient of nan (scores that overflow) counts as zero, so every record's part of
a sum has norm at most `clip`, whatever the weights.

The kernels take the weights feature by feature and pass over features that are 0: four fifths of MNIST. Their shape is
(d, L), where L is K rounded up to whole vectors of 4; the columns from K on are zeros and change nothing.

The loss is convex, not strictly (the same vector added to every class's weights changes nothing), and unbounded above.

Not to be confused with K binary models side by side, nor with logistic regression, whose weight vector is for K = 2 the
difference of the two here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.datasets.table import Table
from reference_impls.models.linear import row_norms
from reference_impls.models.model import batch_for, weights_for
from reference_impls.models.sparse_rows import Rows, sparse_rows

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
TEXTS = "softmax:K"


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftmaxModel(Checked):
    """A :class:`~reference_impls.models.model.Model` over K d weights.

    Attributes
    ----------
    classes : int
        K, >= 2.
    """

    classes: Annotated[int, Between(2, math.inf)]

    @property
    def name(self) -> str:
        """The text that names it."""
        return f"softmax:{self.classes}"

    def dimension(self, columns: int) -> int:
        """One weight a class and column; the intercept is a column of the table."""
        return self.classes * columns

    def check(self, table: Table) -> None:
        """Labels 0 .. K - 1."""
        table.need_labels(self.classes)

    def start(self, columns: int, *, rng: np.random.Generator) -> Float:
        """Zeros."""
        return np.zeros(self.dimension(columns))

    def losses(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        at, batch = self._by_feature(weights, table), batch_for(table, batch)
        out = np.empty(batch.size)
        softmax_losses(out, self.classes, at, sparse_rows(table), table.labels, batch)
        return out

    def gradient(self, weights: Float, table: Table, batch: Integer | None = None, *, clip: float = math.inf) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        at, batch, norms = self._by_feature(weights, table), batch_for(table, batch), row_norms(table)
        out = np.zeros_like(at)
        add_clipped_softmax_gradient(out, clip, self.classes, at, sparse_rows(table), table.labels, norms, batch)
        return out.T[: self.classes].reshape(-1)

    def norms(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        at, batch = self._by_feature(weights, table), batch_for(table, batch)
        out = np.empty(batch.size)
        residual_norms(out, self.classes, at, sparse_rows(table), table.labels, batch)
        return np.asarray(out * row_norms(table)[batch])

    def predict(self, weights: Float, table: Table) -> Float:
        """The class of the largest score, the first of several."""
        by_class = weights_for(self, weights, table).reshape(self.classes, table.columns)
        scores = np.einsum("ij,kj->ik", table.features, by_class)
        return np.asarray(scores.argmax(axis=1), dtype=np.float64)

    def _by_feature(self, weights: Float, table: Table) -> Float:
        """Shape (d, L), in C order."""
        out = np.zeros((table.columns, -(-self.classes // 4) * 4))
        out[:, : self.classes] = weights_for(self, weights, table).reshape(self.classes, table.columns).T
        return out


def build(text: str) -> SoftmaxModel | None:
    """The model that ``softmax:10`` names, for ten classes; None for other texts."""
    kind, _, classes = text.partition(":")
    if kind != "softmax":
        return None
    if not classes.isdecimal():
        raise InputError(f"model {text!r}", allowed=TEXTS, remedy="write softmax:10 for ten classes")
    return SoftmaxModel(classes=int(classes))


@njit(cache=True, nogil=True, error_model="numpy")
def softmax_residual(
    residual: Float, classes: int, weights: Float, rows: Rows, record: int, label: int
) -> tuple[float, float]:
    """Write p - e_y, shape (L,), for one record; return its L2 norm and the loss (nan where scores overflow)."""
    starts, columns, values = rows
    residual[:] = 0.0
    for place in range(starts[record], starts[record + 1]):
        j, value = np.uint32(columns[place]), values[place]  # unsigned: no look at negative places
        for k in range(residual.size):
            residual[k] += weights[j, k] * value
    top = -math.inf
    for k in range(classes):
        top = max(top, residual[k])
    below = top - residual[label]  # 0 where the true class leads
    rest = 0.0  # sum over the other classes: 1 - p_y keeps its digits when p_y is near 1
    for k in range(classes):
        residual[k] = math.exp(residual[k] - top)
        if k != label:
            rest += residual[k]
    own = residual[label]
    total = own + rest
    squares = 0.0
    for k in range(classes):
        residual[k] = -rest / total if k == label else residual[k] / total
        squares += residual[k] * residual[k]
    return math.sqrt(squares), math.log1p(rest) if own == 1.0 else below + math.log(total)


@njit(cache=True, nogil=True, error_model="numpy")
def add_clipped_softmax_gradient(
    out: Float, clip: float, classes: int, weights: Float, rows: Rows, labels: Float, norms: Float, batch: Integer
) -> None:
    """Add the clipped gradients of the records in `batch` to `out`, shape (d, L); `norms` are the rows' L2 norms."""
    starts, columns, values = rows
    residual = np.empty(out.shape[1])
    for i in batch:
        size, _ = softmax_residual(residual, classes, weights, rows, i, int(labels[i]))
        if size != size:
            continue
        residual *= clip / (size * norms[i]) if size * norms[i] > clip else 1.0
        for place in range(starts[i], starts[i + 1]):
            j, value = np.uint32(columns[place]), values[place]
            for k in range(residual.size):
                out[j, k] += residual[k] * value


@njit(cache=True, nogil=True, error_model="numpy")
def softmax_losses(out: Float, classes: int, weights: Float, rows: Rows, labels: Float, batch: Integer) -> None:
    """Losses of the records in `batch`, shape (k,)."""
    residual = np.empty(weights.shape[1])
    for k in range(batch.size):
        _, out[k] = softmax_residual(residual, classes, weights, rows, batch[k], int(labels[batch[k]]))


@njit(cache=True, nogil=True, error_model="numpy")
def residual_norms(out: Float, classes: int, weights: Float, rows: Rows, labels: Float, batch: Integer) -> None:
    """|p - e_y| of the records in `batch`, shape (k,)."""
    residual = np.empty(weights.shape[1])
    for k in range(batch.size):
        out[k], _ = softmax_residual(residual, classes, weights, rows, batch[k], int(labels[batch[k]]))
