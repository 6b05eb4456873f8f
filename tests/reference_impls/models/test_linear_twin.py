"""Kernels of the linear models beside plain NumPy, record by record, on the same numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.datasets.table import Table
from reference_impls.models.linear import LinearModel

MODELS = [
    LinearModel(),
    LinearModel(loss="huber-svm", h_bar=0.3),
    LinearModel(loss="hinge"),
    LinearModel(loss="squared"),
]
RNG = np.random.default_rng(0)
TABLE = Table(features=RNG.normal(size=(23, 5)), labels=RNG.choice([-1.0, 1.0], 23))
WEIGHTS = RNG.normal(size=5)


def loss_and_gradient(model: LinearModel, weights: np.ndarray, x: np.ndarray, y: float) -> tuple[float, np.ndarray]:
    score = float(x @ weights)
    short, h = 1 - y * score, model.h_bar
    if model.loss == "logistic":
        return math.log(1 + math.exp(-y * score)), -y / (1 + math.exp(y * score)) * x
    if model.loss == "squared":
        return (score - y) ** 2 / 2, (score - y) * x
    if model.loss == "hinge":
        return max(0.0, short), (-y * x if short > 0 else 0 * x)
    if short > h:
        return short, -y * x
    return ((short + h) ** 2 / (4 * h), -y * (short + h) / (2 * h) * x) if short >= -h else (0.0, 0 * x)


def clipped(gradient: np.ndarray, clip: float) -> np.ndarray:
    """BLSGD (6)."""
    return gradient / max(1.0, float(np.linalg.norm(gradient)) / clip)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("batch", [None, np.array([4, 0, 17, 4]), np.empty(0, dtype=np.int64)], ids=["all", "4", "0"])
def test_losses_norms_and_gradients(model: LinearModel, batch: np.ndarray | None) -> None:
    rows = range(TABLE.rows) if batch is None else batch.tolist()
    each = [loss_and_gradient(model, WEIGHTS, TABLE.features[i], TABLE.labels[i]) for i in rows]
    assert model.losses(WEIGHTS, TABLE, batch) == pytest.approx(np.array([loss for loss, _ in each]), rel=1e-12)
    assert model.norms(WEIGHTS, TABLE, batch) == pytest.approx(
        np.array([np.linalg.norm(gradient) for _, gradient in each]), rel=1e-12
    )
    for clip in (0.3, 1.0, math.inf):
        total = sum((clipped(gradient, clip) for _, gradient in each), np.zeros(5))
        assert model.gradient(WEIGHTS, TABLE, batch, clip=clip) == pytest.approx(total, rel=1e-12, abs=1e-13)
