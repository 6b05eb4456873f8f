"""Layers on images: convolution and max-pooling, channels first.

A convolution is a matrix product with the image's patches laid out as columns (im2col). One record's gradient is its
deltas (channels x places) times its patches (places x weights), summed over the places. Its norm does not follow from
the norms of the two, as in a dense layer, so the gradients themselves are built, for one chunk of records at a time.

As in most of the field, "convolution" is cross-correlation: the kernel is not flipped. Stride is 1.

Not to be confused with a dense layer on patches, where each patch would count as a record and be clipped on its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from reference_impls.models.image_patches import add_patches, patches_of, pool
from reference_impls.models.network_layers import RecordGradients, kept_rows, random_weights
from reference_impls.models.row_lengths import row_lengths

Float = NDArray[np.float64]
Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Convolution(Checked):
    """Kernels of `side` x `side` over all channels, with a bias each; inputs flat or of `shape`.

    Attributes
    ----------
    shape : (channels, height, width)
        Shape of the inputs.
    kernels : int
        Number of kernels, which are the output channels.
    side : int
        Side of a kernel.
    padding : int
        Width of the border of zeros put around the image.
    """

    shape: Shape
    kernels: int
    side: int
    padding: int = 0

    def validate(self) -> None:
        """The kernel fits into the padded image."""
        if self.side < 1 or self.padding < 0 or min(self.outputs) < 1:
            raise InputError(
                f"a convolution of side {self.side} on an image of {self.shape[1]} x {self.shape[2]}",
                allowed="a side of at least 1, a kernel within the padded image, at least one kernel",
            )

    @property
    def outputs(self) -> Shape:
        """Shape of the outputs."""
        grown = 2 * self.padding - self.side + 1
        return self.kernels, self.shape[1] + grown, self.shape[2] + grown

    @property
    def patch(self) -> int:
        """How many numbers a patch has: channels times the kernel's area."""
        return self.shape[0] * self.side**2

    @property
    def size(self) -> int:
        """Number of weights: one for each kernel and number of a patch, and one bias for each kernel."""
        return self.kernels * (self.patch + 1)

    @property
    def held(self) -> int:
        """Numbers a record takes in memory: patches, outputs, the deltas of both, and the gradient."""
        return 2 * (self.patch + self.kernels) * self.outputs[1] * self.outputs[2] + self.size

    def start(self, activation: str, *, rng: np.random.Generator) -> Float:
        """As :func:`~reference_impls.models.network_layers.random_weights`; biases are zero."""
        shape, fan_out = (self.kernels, self.patch), self.kernels * self.side**2
        return np.concatenate([random_weights(activation, shape, self.patch, fan_out, rng=rng), np.zeros(self.kernels)])

    def forward(self, weights: Float, inputs: Float) -> tuple[Float, Any]:
        """As :class:`~reference_impls.models.network_layers.Layer`."""
        images = inputs.reshape(-1, *self.shape)
        if self.padding:
            images = np.pad(images, ((0, 0), (0, 0), (self.padding,) * 2, (self.padding,) * 2))
        patches = patches_of(images, self.side)
        outputs = self._matrix(weights) @ patches
        outputs += weights[self.kernels * self.patch :, None]
        return outputs.reshape(-1, *self.outputs), patches

    def backward(
        self, weights: Float, kept: Any, deltas: Float, *, first: bool
    ) -> tuple[Float | None, RecordGradients | None]:
        """As :class:`~reference_impls.models.network_layers.Layer`."""
        records = len(deltas)
        flat = deltas.reshape(records, self.kernels, -1)
        gradients = np.empty((records, self.size))
        ends = self.kernels * self.patch
        gradients[:, :ends] = (flat @ kept.transpose(0, 2, 1)).reshape(records, ends)
        gradients[:, ends:] = flat.sum(axis=2)
        if first:
            return None, StoredGradients(gradients=gradients)
        return self._scatter(self._matrix(weights).T @ flat), StoredGradients(gradients=gradients)

    def _scatter(self, patches: Float) -> Float:
        """Add every patch number to the pixel that it was read from; the padding's are dropped."""
        channels, height, width = self.shape
        images = np.zeros((len(patches), channels, height + 2 * self.padding, width + 2 * self.padding))
        add_patches(images, patches, self.side)
        return images[:, :, self.padding : self.padding + height, self.padding : self.padding + width]

    def _matrix(self, weights: Float) -> Float:
        return weights[: self.kernels * self.patch].reshape(self.kernels, self.patch)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredGradients:
    """Per-record gradients, stored as a matrix of shape (k, size)."""

    gradients: Float

    def norms(self) -> Float:
        """As :class:`~reference_impls.models.network_layers.RecordGradients`."""
        return row_lengths(self.gradients)

    def add(self, out: Float, factors: Float) -> None:
        """As :class:`~reference_impls.models.network_layers.RecordGradients`."""
        gradients, factors = kept_rows(factors, self.gradients)
        out += factors @ gradients


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxPool(Checked):
    """Max-pooling: the largest number of each `side` x `side` square (the first one where several are equal).

    The side must divide height and width.
    """

    shape: Shape
    side: int

    def validate(self) -> None:
        """The squares cover the image exactly."""
        if self.side < 1 or self.shape[1] % self.side or self.shape[2] % self.side:
            raise InputError(
                f"pooling by {self.side} of an image of {self.shape[1]} x {self.shape[2]}",
                allowed="a side that divides both",
            )

    @property
    def outputs(self) -> Shape:
        """Shape of the outputs."""
        return self.shape[0], self.shape[1] // self.side, self.shape[2] // self.side

    @property
    def size(self) -> int:
        """0: pooling has no weights."""
        return 0

    @property
    def held(self) -> int:
        """About how many numbers a record takes in memory: inputs, their deltas, what is kept."""
        return 3 * self.shape[0] * self.shape[1] * self.shape[2]

    def start(self, activation: str, *, rng: np.random.Generator) -> Float:
        """An empty vector: pooling has no weights."""
        return np.empty(0)

    def forward(self, weights: Float, inputs: Float) -> tuple[Float, Any]:
        """As :class:`~reference_impls.models.network_layers.Layer`."""
        images = inputs.reshape(-1, *self.shape)
        largest = np.empty((len(images), *self.outputs))
        places = np.empty(largest.shape, dtype=np.int64)
        pool(largest, places, images, self.side)
        return largest, places

    def backward(
        self, weights: Float, kept: Any, deltas: Float, *, first: bool
    ) -> tuple[Float | None, RecordGradients | None]:
        """As :class:`~reference_impls.models.network_layers.Layer`."""
        images, squares = np.zeros((len(deltas), math.prod(self.shape))), (len(deltas), math.prod(self.outputs))
        np.put_along_axis(images, kept.reshape(squares), deltas.reshape(squares), axis=1)
        return images.reshape(-1, *self.shape), None
