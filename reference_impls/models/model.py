"""What an algorithm asks of a model: per-record losses and clipped per-record gradients of one flat weight vector.

Models are named by texts (``logistic``, ``huber-svm``, ``softmax:10``, ``mlp:784-1000-10``), so that claims can carry
them. A model is one file with a function ``build`` (``build(text) -> Model or None``); :func:`find_model` asks each
file of this folder, so a new model is a new file.

Batches are int64 indices into the table; None stands for all records.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from reference_impls.named_by_text import NamedBy, find_in

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@runtime_checkable
class Model(Protocol):
    """Losses and gradients of one record at a time, summed."""

    @property
    def name(self) -> str:
        """The text that :func:`find_model` reads back."""
        ...

    def dimension(self, columns: int) -> int:
        """How many weights it has for records with this many columns."""
        ...

    def check(self, table: Table) -> None:
        """Raise InputError when the model cannot be trained on the table's labels or columns."""
        ...

    def start(self, columns: int, *, rng: np.random.Generator) -> Float:
        """Public starting weights, shape (dimension,): zeros for convex models."""
        ...

    def losses(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """The records' losses, shape (k,), without regularisation."""
        ...

    def gradient(self, weights: Float, table: Table, batch: Integer | None = None, *, clip: float = math.inf) -> Float:
        """The sum of the records' gradients, each scaled down to L2 norm `clip`; shape (dimension,)."""
        ...

    def norms(self, weights: Float, table: Table, batch: Integer | None = None) -> Float:
        """The L2 norms of the records' gradients before clipping, shape (k,)."""
        ...

    def predict(self, weights: Float, table: Table) -> Float:
        """The predicted labels, shape (n,)."""
        ...


def find_model(text: str) -> Model:
    """The model that a text names.

    Raises
    ------
    InputError
        When it is no text, or no model file reads it.
    """
    if not isinstance(text, str):
        raise InputError(f"model = {text!r}", allowed="a text such as 'logistic'")
    return _found(text)


@cache
def _found(text: str) -> Model:
    found: Model = find_in(__name__.rpartition(".")[0], text, kind="model")
    return found


ModelText = Annotated[str, NamedBy(find_model)]
"""A text that names a model."""


def weights_for(model: Model, weights: Float, table: Table) -> Float:
    """The weights in C order; InputError unless they are a float64 vector of the model's dimension on this table."""
    wanted = model.dimension(table.columns)
    if weights.shape != (wanted,):
        raise InputError(
            f"weights of shape {weights.shape} for {model.name!r} on {table.columns} columns", allowed=f"({wanted},)"
        )
    return np.ascontiguousarray(weights, dtype=np.float64)


def batch_for(table: Table, batch: Integer | None) -> Integer:
    """The batch as indices; InputError for one that the table lacks (a kernel would read past its end)."""
    if batch is None:
        return np.arange(table.rows)
    if batch.size and not (batch.min() >= 0 and batch.max() < table.rows):
        raise InputError(f"a batch with record {batch.max()} or {batch.min()}", allowed=f"0..{table.rows - 1}")
    return batch
