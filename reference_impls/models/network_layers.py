"""What a network is made of: layers that go forward, go backward, and know their gradient record by record.

A layer keeps the per-record gradients of a chunk in a form that gives their norms and any weighted sum of them without
storing them. For a dense layer that is the ghost-norm identity (Goodfellow, arXiv:1510.01799): one record's gradient is
the outer product of its deltas and its inputs, so with a bias its squared L2 norm is ``(|a|^2 + 1) |delta|^2``, and a
weighted sum over records is one matrix product. Deltas are gradients of the loss with respect to a layer's outputs.

Weights of a dense layer are output by output, then the biases.

Not to be confused with the gradient of the sum, whose norm says nothing about any record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from reference_impls.models.row_lengths import row_lengths

Float = NDArray[np.float64]
ACTIVATIONS = ("relu", "tanh", "sigmoid")


class RecordGradients(Protocol):
    """The gradients of k records' losses with respect to one layer's weights."""

    def norms(self) -> Float:
        """Their L2 norms, shape (k,); inf or nan where one is not a finite vector."""
        ...

    def add(self, out: Float, factors: Float) -> None:
        """Add the sum weighted by `factors`, shape (k,), to `out`, shape (size,); a factor of 0 leaves a record out."""
        ...


class Layer(Protocol):
    """One step of a network, on all records of a chunk: arrays of shape (k, ...)."""

    @property
    def size(self) -> int:
        """Number of weights."""
        ...

    @property
    def held(self) -> int:
        """Roughly how many numbers a record takes in memory."""
        ...

    def start(self, activation: str, *, rng: np.random.Generator) -> Float:
        """Random starting weights, shape (size,), from the law that suits the network's activation."""
        ...

    def forward(self, weights: Float, inputs: Float) -> tuple[Float, Any]:
        """The outputs, and what `backward` needs."""
        ...

    def backward(
        self, weights: Float, kept: Any, deltas: Float, *, first: bool
    ) -> tuple[Float | None, RecordGradients | None]:
        """From the deltas: gradients with respect to the inputs (None in the `first` layer) and to the weights."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense:
    """A dense layer: every output is a weighted sum of all inputs, plus a bias if it has biases."""

    inputs: int
    outputs: int
    bias: bool = True

    @property
    def size(self) -> int:
        """Number of weights: one for each input and output, and one bias for each output."""
        return self.outputs * (self.inputs + self.bias)

    @property
    def held(self) -> int:
        """Numbers a record takes in memory: outputs and their deltas."""
        return 2 * self.outputs

    def start(self, activation: str, *, rng: np.random.Generator) -> Float:
        """As :func:`random_weights`; biases are zero."""
        drawn = random_weights(activation, (self.outputs, self.inputs), self.inputs, self.outputs, rng=rng)
        return np.concatenate([drawn, np.zeros(self.outputs * self.bias)])

    def forward(self, weights: Float, inputs: Float) -> tuple[Float, Any]:
        """As :class:`Layer`; images are flattened, channel by channel."""
        inputs = inputs.reshape(-1, self.inputs)
        outputs = inputs @ self._matrix(weights).T
        if self.bias:
            outputs += weights[self.outputs * self.inputs :]
        return outputs, inputs

    def backward(
        self, weights: Float, kept: Any, deltas: Float, *, first: bool
    ) -> tuple[Float | None, RecordGradients | None]:
        """As :class:`Layer`."""
        gradients = OuterProducts(inputs=kept, deltas=deltas, bias=self.bias)
        return None if first else deltas @ self._matrix(weights), gradients

    def _matrix(self, weights: Float) -> Float:
        return weights[: self.outputs * self.inputs].reshape(self.outputs, self.inputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterProducts:
    """Gradients that are outer products ``deltas[i] x inputs[i]``, and ``deltas[i]`` itself for the biases."""

    inputs: Float
    deltas: Float
    bias: bool

    def norms(self) -> Float:
        """By the ghost-norm identity."""
        lengths = row_lengths(self.inputs)
        return row_lengths(self.deltas) * (np.hypot(lengths, 1.0) if self.bias else lengths)

    def add(self, out: Float, factors: Float) -> None:
        """As :class:`RecordGradients`."""
        inputs, deltas, factors = kept_rows(factors, self.inputs, self.deltas)
        shares = factors[:, None] * deltas
        pairs = inputs.shape[1] * deltas.shape[1]
        out[:pairs].reshape(deltas.shape[1], inputs.shape[1])[...] += shares.T @ inputs
        if self.bias:
            out[pairs:] += shares.sum(axis=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """An activation: relu, tanh or sigmoid of each number. The slope of relu at 0 is 0."""

    kind: str
    held: int

    @property
    def size(self) -> int:
        """0: activations have no weights."""
        return 0

    def start(self, activation: str, *, rng: np.random.Generator) -> Float:
        """An empty vector: activations have no weights."""
        return np.empty(0)

    def forward(self, weights: Float, inputs: Float) -> tuple[Float, Any]:
        """As :class:`Layer`; inputs of any shape; nan stays nan."""
        if self.kind == "relu":
            outputs = np.maximum(inputs, 0.0)
        else:
            outputs = np.tanh(inputs) if self.kind == "tanh" else np.asarray(expit(inputs))
        return outputs, outputs

    def backward(
        self, weights: Float, kept: Any, deltas: Float, *, first: bool
    ) -> tuple[Float | None, RecordGradients | None]:
        """As :class:`Layer`: the slope is a function of the output."""
        deltas = deltas.reshape(kept.shape)
        if self.kind == "relu":
            return deltas * (kept > 0.0), None
        return deltas * (1.0 - kept * kept if self.kind == "tanh" else kept * (1.0 - kept)), None


def random_weights(
    activation: str, shape: tuple[int, ...], fan_in: int, fan_out: int, *, rng: np.random.Generator
) -> Float:
    """Public starting weights, flat.

    He et al. (2015) for relu: normal of variance 2 / fan_in. Glorot and Bengio (2010) for the others: uniform between
    -b and b with ``b = sqrt(6 / (fan_in + fan_out))``.
    """
    size = math.prod(shape)
    if activation == "relu":
        return rng.standard_normal(size) * math.sqrt(2.0 / fan_in)
    return rng.uniform(-1.0, 1.0, size) * math.sqrt(6.0 / (fan_in + fan_out))


def kept_rows(factors: Float, *arrays: Float) -> tuple[Float, ...]:
    """The rows of the arrays whose factor is not zero, and their factors: 0 times a row of nan would be nan."""
    kept = factors != 0.0
    if kept.all():
        return (*arrays, factors)
    return (*(array[kept] for array in arrays), factors[kept])
