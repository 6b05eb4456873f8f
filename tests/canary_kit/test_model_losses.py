"""The loss of every form of model, against the formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from dpverify.canary_kit.model_losses import losses
from dpverify.canary_kit.records import Records

RNG = np.random.default_rng(0)
X = RNG.standard_normal((6, 3))
TWO, THREE = np.array([-1.0, 1.0]), np.arange(3.0)
W, WW = RNG.standard_normal(3), RNG.standard_normal((3, 3))
PLACES = np.array([0, 1, 2, 1, 0, 2])


class Model:
    def __init__(self, **calls):
        self.__dict__.update(calls)


def test_binary_models():
    records = Records(features=X, labels=TWO[PLACES % 2])
    wanted = np.log1p(np.exp(-records.labels * (X @ W + 0.5)))
    chance = 1 / (1 + np.exp(-(X @ W + 0.5)))
    for model in (
        (W, 0.5),
        lambda rows: rows @ W + 0.5,
        lambda rows: (rows @ W + 0.5)[:, None],
        Model(decision_function=lambda rows: rows @ W + 0.5),
        Model(predict_proba=lambda rows: np.stack([1 - chance, chance], axis=1)),
        Model(predict_proba=lambda rows: chance),
    ):
        assert np.allclose(losses(model, records, TWO, name="m"), wanted)
    right = Model(predict=lambda rows: records.labels)
    assert losses(right, records, TWO, name="m").tolist() == [0] * 6


def test_models_of_three_classes():
    records = Records(features=X, labels=THREE[PLACES])
    wanted = -np.log(softmax(X @ WW.T, axis=1)[np.arange(6), PLACES])
    for model in (WW, lambda rows: rows @ WW.T, Model(predict_proba=lambda rows: softmax(rows @ WW.T, axis=1))):
        assert np.allclose(losses(model, records, THREE, name="m"), wanted)


def test_torch_modules():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Dropout(0.9), torch.nn.Linear(3, 3))
    module.train()
    records = Records(features=X, labels=THREE[PLACES])
    raw = X @ module[1].weight.detach().numpy().T + module[1].bias.detach().numpy()
    found = losses(module, records, THREE, name="m")
    assert np.allclose(found, -np.log(softmax(raw, axis=1)[np.arange(6), PLACES]), atol=1e-5)
    assert module.training
