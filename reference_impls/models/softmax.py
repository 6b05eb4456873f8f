"""Softmax regression: K classes, a score w_k.x for each, the loss -log of the true class's share of exp(score).

Weights are one flat vector, class by class: ``weights.reshape(K, d)``. Labels are 0 .. K - 1. A record's gradient is
the outer product of ``p - e_y`` and x, so its L2 norm is ``|p - e_y| |x|`` and it is clipped without being built. As in
:mod:`reference_impls.models.linear`, a gradient of nan (scores that overflow to inf - inf) counts as zero, so every
record's part of a sum has norm at most `clip`, whatever the weights.

The loss is convex, not strictly (the same vector added to every class's weights changes nothing), and unbounded above.

Not to be confused with K binary models side by side, nor with logistic regression, whose weight vector is for K = 2 the
difference of the two here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.datasets.table import Table
from reference_impls.models.linear import row_norms
from reference_impls.models.model import batch_for, weights_for
from reference_impls.models.softmax_kernel import add_clipped_softmax_gradient, norms_and_losses

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
        return self._norms_and_losses(weights, table, batch_for(table, batch))[1]

    def gradient(self, weights: Float, table: Table, batch: Integer | None = None, *, clip: float = math.inf) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        at, rows, norms = self._by_class(weights, table), batch_for(table, batch), row_norms(table)
        out = np.zeros_like(at)
        add_clipped_softmax_gradient(out, clip, at, table.features, table.labels, norms, rows)
        return out.reshape(-1)

    def norms(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        rows = batch_for(table, batch)
        return np.asarray(self._norms_and_losses(weights, table, rows)[0] * row_norms(table)[rows])

    def predict(self, weights: Float, table: Table) -> Float:
        """The class of the largest score, the first of several."""
        scores = np.einsum("ij,kj->ik", table.features, self._by_class(weights, table))
        return np.asarray(scores.argmax(axis=1), dtype=np.float64)

    def _norms_and_losses(self, weights: Float, table: Table, rows: Integer) -> tuple[Float, Float]:
        norms, losses = np.empty(rows.size), np.empty(rows.size)
        norms_and_losses(norms, losses, self._by_class(weights, table), table.features, table.labels, rows)
        return norms, losses

    def _by_class(self, weights: Float, table: Table) -> Float:
        return weights_for(self, weights, table).reshape(self.classes, table.columns)


def build(text: str) -> SoftmaxModel | None:
    """The model that ``softmax:10`` names, for ten classes; None for other texts."""
    kind, _, classes = text.partition(":")
    if kind != "softmax":
        return None
    if not classes.isdecimal():
        raise InputError(f"model {text!r}", allowed=TEXTS, remedy="write softmax:10 for ten classes")
    return SoftmaxModel(classes=int(classes))
