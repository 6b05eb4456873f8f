"""Networks beside a plain one: one record at a time, loop by loop, gradients by complex steps, clipping written out."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from dpverify.datasets.table import Table
from reference_impls.models.model import find_model

FUNCTIONS = {
    "relu": lambda z: np.where(z.real > 0, z, 0.0),
    "tanh": np.tanh,
    "sigmoid": lambda z: 1.0 / (1.0 + np.exp(-z)),
}
PLANS = {
    "mlp:5-3": [("dense", 3, True)],
    "mlp:5-4-6-3": [("dense", 4, True), ("dense", 6, True), ("dense", 3, True)],
    "mlp:5-7-3:no-bias": [("dense", 7, False), ("dense", 3, False)],
    "cnn:1x4x5:2@3-4": [("conv", 2, 3, 0), ("dense", 4, True)],
    "cnn:2x6x6:3@3p1-max2-2@2p1-max2-4-3": [
        ("conv", 3, 3, 1),
        ("max", 2),
        ("conv", 2, 2, 1),
        ("max", 2),
        ("dense", 4, True),
        ("dense", 3, True),
    ],
}
SHAPES = {"cnn:1x4x5:2@3-4": (1, 4, 5), "cnn:2x6x6:3@3p1-max2-2@2p1-max2-4-3": (2, 6, 6)}


def loss_of(text: str, activation: str, weights: np.ndarray, x: np.ndarray, label: int) -> complex:
    """One record's loss; `weights` may be complex."""
    values, left = x.reshape(SHAPES.get(text, x.shape)), list(weights)

    def take(*shape: int) -> np.ndarray:
        taken = np.array(left[: math.prod(shape)]).reshape(shape)
        del left[: math.prod(shape)]
        return taken

    for position, (kind, *how) in enumerate(PLANS[text]):
        if kind == "dense":
            flat = values.reshape(-1)
            matrix = take(how[0], flat.size)
            values = np.array([sum(row * flat) for row in matrix]) + (take(how[0]) if how[1] else 0.0)
        elif kind == "conv":
            values = convolved(values, take(how[0], len(values), how[1], how[1]), take(how[0]), how[2])
        else:
            values = pooled(values, how[0])
        if kind != "max" and position + 1 < len(PLANS[text]):
            values = FUNCTIONS[activation](values)
    assert not left
    return np.log(np.exp(values - values[label]).sum())


def convolved(image: np.ndarray, kernels: np.ndarray, biases: np.ndarray, padding: int) -> np.ndarray:
    channels, height, width = image.shape
    grown = np.zeros((channels, height + 2 * padding, width + 2 * padding), dtype=image.dtype)
    grown[:, padding : padding + height, padding : padding + width] = image
    side = kernels.shape[-1]
    rows, columns = grown.shape[1] - side + 1, grown.shape[2] - side + 1
    out = np.zeros((len(kernels), rows, columns), dtype=np.result_type(image, kernels))
    for k, i, j in product(range(len(kernels)), range(rows), range(columns)):
        out[k, i, j] = (kernels[k] * grown[:, i : i + side, j : j + side]).sum() + biases[k]
    return out


def pooled(image: np.ndarray, side: int) -> np.ndarray:
    channels, height, width = image.shape
    out = np.zeros((channels, height // side, width // side), dtype=image.dtype)
    for c, i, j in np.ndindex(out.shape):
        square = image[c, i * side : (i + 1) * side, j * side : (j + 1) * side].reshape(-1)
        out[c, i, j] = square[square.real.argmax()]
    return out


def gradient_of(text: str, activation: str, weights: np.ndarray, x: np.ndarray, label: int) -> np.ndarray:
    steps = 1e-30j * np.eye(weights.size)
    return np.array([loss_of(text, activation, weights + step, x, label).imag / 1e-30 for step in steps])


@pytest.mark.parametrize("activation", FUNCTIONS)
@pytest.mark.parametrize("text", PLANS)
def test_losses_norms_gradients_and_classes(text: str, activation: str) -> None:
    model = find_model(f"{text}:{activation}")
    rng = np.random.default_rng(3)
    columns = math.prod(SHAPES.get(text, (5,)))
    classes = PLANS[text][-1][1]
    table = Table(features=rng.normal(size=(5, columns)), labels=rng.integers(0, classes, 5).astype(float))
    weights = rng.normal(size=model.dimension(columns)) * 0.7
    records = [(table.features[i], int(table.labels[i])) for i in range(table.rows)]
    losses = np.array([loss_of(text, activation, weights, *record).real for record in records])
    gradients = np.array([gradient_of(text, activation, weights, *record) for record in records])
    by_class = [[loss_of(text, activation, weights, x, label).real for label in range(classes)] for x, _ in records]
    assert model.predict(weights, table).tolist() == np.argmin(by_class, axis=1).tolist()
    for batch in (None, np.array([4, 0, 4]), np.empty(0, dtype=np.int64)):
        rows = np.arange(table.rows) if batch is None else batch
        norms = np.linalg.norm(gradients[rows], axis=1)
        assert model.losses(weights, table, batch) == pytest.approx(losses[rows], rel=1e-12)
        assert model.norms(weights, table, batch) == pytest.approx(norms, rel=1e-12)
        for clip in (0.3, 1.5, math.inf):
            total = (gradients[rows] * np.minimum(1.0, clip / norms)[:, None]).sum(axis=0)
            assert model.gradient(weights, table, batch, clip=clip) == pytest.approx(total, rel=1e-11, abs=1e-13)
