"""What a network is made of: layers that go forward, go backward, and know their gradient record by record.

A layer's gradient for every record of a chunk is kept in a form that gives its norms and any weighted sum of it without
being written out. For a dense layer that is the ghost-norm identity (Goodfellow, arXiv:1510.01799): one record's
gradient is the outer product of its deltas and its inputs, so with a bias its squared L2 norm is
``(|a|^2 + 1) |delta|^2``, and a weighted sum over records is one matrix product.

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

Float = NDArray[np.float64]
ACTIVATIONS = ("relu", "tanh", "sigmoid")
_SQUARES = (1e-280, 1e300)
"""Where a sum of squares has all its digits."""


class RecordGradients(Protocol):
    """The gradients of k records by one layer's weights."""

    def norms(self) -> Float:
        """Their L2 norms, shape (k,); inf or nan where one is no finite vector."""
        ...

    def add(self, out: Float, factors: Float) -> None:
        """Add their sum, weighted by `factors`, shape (k,), to `out`, the layer's part; factor 0 leaves one out."""
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
        """Random weights, shape (size,), of the kind that suits the network's activation."""
        ...

    def forward(self, weights: Float, inputs: Float) -> tuple[Float, Any]:
        """The outputs, and what `backward` needs."""
        ...

    def backward(
        self, weights: Float, kept: Any, deltas: Float, *, first: bool
    ) -> tuple[Float | None, RecordGradients | None]:
        """From gradients by the outputs: those by the inputs (None in the `first` layer), and those by the weights."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense:
    """Every output a weighted sum of all inputs."""

    inputs: int
    outputs: int
    bias: bool = True

    @property
    def size(self) -> int:
        """One weight a pair, one bias an output."""
        return self.outputs * (self.inputs + self.bias)

    @property
    def held(self) -> int:
        """Outputs and deltas."""
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
        return None if first else deltas @ self._matrix(weights), Outer(inputs=kept, deltas=deltas, bias=self.bias)

    def _matrix(self, weights: Float) -> Float:
        return weights[: self.outputs * self.inputs].reshape(self.outputs, self.inputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """Gradients that are outer products ``deltas[i] x inputs[i]``, and ``deltas[i]`` itself where there is a bias."""

    inputs: Float
    deltas: Float
    bias: bool

    def norms(self) -> Float:
        """The ghost-norm identity."""
        lengths = row_lengths(self.inputs)
        return row_lengths(self.deltas) * (np.hypot(lengths, 1.0) if self.bias else lengths)

    def add(self, out: Float, factors: Float) -> None:
        """As :class:`RecordGradients`."""
        inputs, deltas, factors = some(factors, self.inputs, self.deltas)
        shares = factors[:, None] * deltas
        pairs = inputs.shape[1] * deltas.shape[1]
        out[:pairs].reshape(deltas.shape[1], inputs.shape[1])[...] += shares.T @ inputs
        if self.bias:
            out[pairs:] += shares.sum(axis=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """A function of each number on its own: relu, tanh or sigmoid. At its kink relu's slope is 0."""

    kind: str
    held: int

    @property
    def size(self) -> int:
        """No weights."""
        return 0

    def start(self, activation: str, *, rng: np.random.Generator) -> Float:
        """Nothing."""
        return np.empty(0)

    def forward(self, weights: Float, inputs: Float) -> tuple[Float, Any]:
        """As :class:`Layer`; any shape. A number that is none stays none."""
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

    He et al. (2015) for relu: normal of variance 2 / fan_in. Glorot and Bengio (2010) for the others: uniform up to
    ``sqrt(6 / (fan_in + fan_out))`` to either side.
    """
    size = math.prod(shape)
    if activation == "relu":
        return rng.standard_normal(size) * math.sqrt(2.0 / fan_in)
    return rng.uniform(-1.0, 1.0, size) * math.sqrt(6.0 / (fan_in + fan_out))


def row_lengths(rows: Float) -> Float:
    """L2 norms of the rows, shape (k,): good for any finite size, so that none underflows below a clipping's sight."""
    squares = np.einsum("ij,ij->i", rows, rows)
    lengths = np.sqrt(squares)
    odd = np.flatnonzero((squares < _SQUARES[0]) | (squares > _SQUARES[1]))
    if odd.size:
        longest = np.abs(rows[odd]).max(axis=1, initial=0.0)
        longest[longest == 0.0] = 1.0
        scaled = rows[odd] / longest[:, None]
        lengths[odd] = longest * np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return np.asarray(lengths)


def some(factors: Float, *arrays: Float) -> tuple[Float, ...]:
    """The arrays' rows whose factor is not zero, and the factors: a row of no numbers must not reach a sum."""
    live = factors != 0.0
    if live.all():
        return (*arrays, factors)
    return (*(array[live] for array in arrays), factors[live])
