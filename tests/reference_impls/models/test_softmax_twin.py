"""Softmax regression beside plain NumPy, gradients built whole, and complex steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.datasets.table import Table
from reference_impls.models.softmax import SoftmaxModel

CLASSES, COLUMNS = 4, 3
MODEL = SoftmaxModel(classes=CLASSES)
RNG = np.random.default_rng(1)
TABLE = Table(features=RNG.normal(size=(15, COLUMNS)), labels=RNG.integers(0, CLASSES, 15).astype(float))
WEIGHTS = 2 * RNG.normal(size=CLASSES * COLUMNS)


def loss_of(weights: np.ndarray, x: np.ndarray, y: int) -> complex:
    scores = weights.reshape(CLASSES, COLUMNS) @ x
    return np.log(np.exp(scores - scores[y]).sum())


def gradient_of(weights: np.ndarray, x: np.ndarray, y: int) -> np.ndarray:
    shares = np.exp(weights.reshape(CLASSES, COLUMNS) @ x)
    return np.outer(shares / shares.sum() - np.eye(CLASSES)[y], x).reshape(-1)


@pytest.mark.parametrize("batch", [None, np.array([4, 0, 11, 4]), np.empty(0, dtype=np.int64)], ids=["all", "4", "0"])
def test_losses_norms_and_gradients(batch: np.ndarray | None) -> None:
    rows = range(TABLE.rows) if batch is None else batch.tolist()
    records = [(TABLE.features[i], int(TABLE.labels[i])) for i in rows]
    gradients = [gradient_of(WEIGHTS, *record) for record in records]
    assert MODEL.losses(WEIGHTS, TABLE, batch) == pytest.approx(
        np.array([loss_of(WEIGHTS, *record) for record in records], dtype=float), rel=1e-12, abs=1e-15
    )
    assert MODEL.norms(WEIGHTS, TABLE, batch) == pytest.approx(
        np.array([np.linalg.norm(gradient) for gradient in gradients]), rel=1e-12
    )
    for clip in (0.3, 1.0, math.inf):
        total = sum((g / max(1.0, np.linalg.norm(g) / clip) for g in gradients), np.zeros(WEIGHTS.size))
        assert MODEL.gradient(WEIGHTS, TABLE, batch, clip=clip) == pytest.approx(total, rel=1e-12, abs=1e-13)


def test_gradients_agree_with_complex_steps() -> None:
    found = MODEL.gradient(WEIGHTS, TABLE, np.array([2]))
    for axis in range(WEIGHTS.size):
        moved = WEIGHTS + 1e-30j * np.eye(WEIGHTS.size)[axis]
        assert found[axis] == pytest.approx(
            np.imag(loss_of(moved, TABLE.features[2], int(TABLE.labels[2]))) / 1e-30, rel=1e-12
        )
