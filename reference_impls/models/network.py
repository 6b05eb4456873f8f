"""Networks of layers under softmax cross-entropy: per-record losses, gradient norms and clipped sums, by BLAS.

Weights are one flat vector, layer by layer. A clipped sum takes one pass forward, one pass backward that also gives
every record's gradient norm (see :mod:`reference_impls.models.network_layers`), and one weighted product a layer. So
records are never taken one at a time, and the per-record gradients of a dense layer are never stored. Batches are
worked through in chunks of at most 16 MB.

A gradient that is not a finite vector (scores that overflow, a norm beyond float64) counts as zero, so every record's
part of a sum has norm at most `clip`, up to rounding, whatever the weights.

Limits: float64; a record's gradient depends on its batch in the last digits, because BLAS chooses the order of sums.
Networks are not convex, so :mod:`reference_impls.models.loss_constants` has no constants of them.

Not to be confused with clipping the batch's mean gradient, or each layer's part by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.datasets.table import Table
from reference_impls.models.cross_entropy import cross_entropy
from reference_impls.models.model import batch_for, weights_for
from reference_impls.models.network_layers import Layer, RecordGradients

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
CHUNK = 1 << 21
"""Numbers in memory at a time, 16 MB: about the fastest for the papers' networks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Network(Checked):
    """A :class:`~reference_impls.models.model.Model`; built from texts by ``mlp`` and ``cnn``.

    Attributes
    ----------
    name : str
        The text that names it.
    columns : int
        Features of a record.
    classes : int
        K, >= 2; labels are 0 .. K - 1.
    activation : str
        Activation of the hidden layers; it decides how weights are started.
    layers : tuple of Layer
        The outputs of the last one are the K scores.
    """

    name: str
    columns: int
    classes: Annotated[int, Between(2, math.inf)]
    activation: str
    layers: tuple[Layer, ...]

    def called(self) -> str:
        """Messages name the text, which is what the user wrote."""
        return f"model {self.name!r}"

    def dimension(self, columns: int) -> int:
        """The number of weights and biases; InputError for another number of columns than the network's."""
        if columns != self.columns:
            raise InputError(f"{columns} columns for {self.name!r}", allowed=f"{self.columns} columns")
        return sum(layer.size for layer in self.layers)

    def check(self, table: Table) -> None:
        """Labels 0 .. K - 1, and the network's number of columns."""
        self.dimension(table.columns)
        table.need_labels(self.classes)

    def start(self, columns: int, *, rng: np.random.Generator) -> Float:
        """Random, see :func:`~reference_impls.models.network_layers.random_weights`: at zeros no hidden unit moves."""
        self.dimension(columns)
        return np.concatenate([layer.start(self.activation, rng=rng) for layer in self.layers])

    def losses(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """As :class:`~reference_impls.models.model.Model`; nan where scores overflow."""
        parts = self._parts(weights_for(self, weights, table))
        with np.errstate(over="ignore", invalid="ignore"):
            found = [cross_entropy(self._forward(parts, x)[0], y)[0] for x, y in self._chunks(table, batch)]
        return np.concatenate([np.empty(0), *found])

    def gradient(self, weights: Float, table: Table, batch: Integer | None = None, *, clip: float = math.inf) -> Float:
        """As :class:`~reference_impls.models.model.Model`."""
        at = weights_for(self, weights, table)
        out = np.zeros_like(at)
        places = self._parts(out)
        with np.errstate(over="ignore", invalid="ignore"):
            for x, y in self._chunks(table, batch):
                gradients = self._gradients(self._parts(at), x, y)
                norms = _norms(gradients, len(x))
                factors = np.divide(clip, norms, out=np.isfinite(norms).astype(np.float64), where=norms > clip)
                for place, gradient in zip(places, gradients, strict=True):
                    if gradient is not None:
                        gradient.add(place, factors)
        return out

    def norms(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """As :class:`~reference_impls.models.model.Model`; inf or nan where a gradient is not a finite vector."""
        parts = self._parts(weights_for(self, weights, table))
        with np.errstate(over="ignore", invalid="ignore"):
            found = [_norms(self._gradients(parts, x, y), len(x)) for x, y in self._chunks(table, batch)]
        return np.concatenate([np.empty(0), *found])

    def predict(self, weights: Float, table: Table) -> Float:
        """The class of the largest score, the first of several."""
        parts = self._parts(weights_for(self, weights, table))
        with np.errstate(over="ignore", invalid="ignore"):
            found = [self._forward(parts, x)[0].argmax(axis=1) for x, _ in self._chunks(table, None)]
        return np.concatenate([np.empty(0), *found]).astype(np.float64)

    def _parts(self, weights: Float) -> list[Float]:
        """Each layer's share of the flat vector, as views."""
        ends = list(accumulate(layer.size for layer in self.layers))
        return [weights[begin:end] for begin, end in pairwise([0, *ends])]

    def _chunks(self, table: Table, batch: Integer | None) -> Iterator[tuple[Float, Float]]:
        """Features and labels of the batch, in chunks of about `CHUNK` numbers in memory."""
        rows = batch_for(table, batch)
        step = max(1, CHUNK // (self.columns + sum(layer.held for layer in self.layers)))
        for begin in range(0, rows.size, step):
            some = rows[begin : begin + step]
            yield table.features[some], table.labels[some]

    def _forward(self, parts: list[Float], values: Float) -> tuple[Float, list[Any]]:
        memory = []
        for layer, part in zip(self.layers, parts, strict=True):
            values, kept = layer.forward(part, values)
            memory.append(kept)
        return values, memory

    def _gradients(self, parts: list[Float], features: Float, labels: Float) -> list[RecordGradients | None]:
        """Gradients of the records' losses, layer by layer from the first; None where a layer has no weights."""
        scores, memory = self._forward(parts, features)
        _, deltas = cross_entropy(scores, labels)
        found = []
        for k in reversed(range(len(self.layers))):
            before, gradient = self.layers[k].backward(parts[k], memory[k], deltas, first=k == 0)
            found.append(gradient)
            if before is not None:
                deltas = before
        return found[::-1]


def _norms(gradients: list[RecordGradients | None], records: int) -> Float:
    """L2 norms over all layers, shape (k,)."""
    total = np.zeros(records)
    for gradient in gradients:
        if gradient is not None:
            total = np.hypot(total, gradient.norms())
    return total
