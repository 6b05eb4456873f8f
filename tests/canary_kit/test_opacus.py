"""Recipe: Opacus trains an MLP on MNIST with gradient canaries; noise off, a quarter of it, clipping off are refuted.

The canaries lie on weights of pixels that are 0 in every picture, where nothing else has a gradient.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.errors import InputError

torch = pytest.importorskip("torch")
opacus = pytest.importorskip("opacus")

RATE, STEPS, SIGMA, HIDDEN, RECORDS, COUNT = 0.2, 25, 3.0, 32, 1000, 2000
CLAIM = f"SubsampledGaussian(rate={RATE}, sigma={SIGMA}, steps={STEPS})"


@pytest.fixture(scope="module")
def mnist():
    try:
        table = dpv.load_table("mnist")
    except InputError as problem:  # data are no part of the project: the loader says how to get them
        pytest.skip(f"no MNIST to train on: {problem}")
    unused = np.flatnonzero(table.features.max(axis=0) == 0)
    places = (np.arange(HIDDEN)[:, None] * 784 + unused).ravel()
    chosen = np.random.default_rng(0).permutation(places)[:COUNT]
    return (table.features[:RECORDS].astype(np.float32), table.labels[:RECORDS].astype(np.int64)), chosen


def trainer(noise: float, clip: float = 1.0):
    def train(features, labels, canaries):
        data = torch.utils.data.TensorDataset(*map(torch.as_tensor, (features, labels)), torch.arange(len(labels)))
        model = torch.nn.Sequential(torch.nn.Linear(784, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 10))
        model, optimizer, loader = opacus.PrivacyEngine().make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=0.5),
            data_loader=torch.utils.data.DataLoader(data, batch_size=math.ceil(RATE * len(data))),
            noise_multiplier=noise,
            max_grad_norm=clip,
        )
        for _ in range(round(STEPS * RATE)):  # 1 / RATE batches a pass, at rate RATE each
            for pictures, digits, rows in loader:
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(model(pictures), digits).backward()
                canaries.plant(model, rows)
                optimizer.step()
                canaries.observe(model, scale=optimizer.expected_batch_size)
        assert canaries.steps == STEPS
        return model

    return train


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("noise", "clip", "refuted"),
    [(SIGMA, 1.0, False), (1e-3, 1.0, True), (SIGMA / 4, 1.0, True), (SIGMA * 1e-6, 1e6, True)],
)
def test_mnist(mnist, noise, clip, refuted):
    """At the level 0.001, so that one run can show something; a right training is far from what would refute."""
    data, coordinates = mnist
    with dpv.canaries(
        trainer(noise, clip),
        data,
        count=COUNT,
        kind="gradient",
        coordinates=coordinates,
        likelihood=(RATE, SIGMA),
        claim=CLAIM,
    ) as study:
        study.train()
    assert study.result.verdict is (dpv.Status.REFUTED if refuted else dpv.Status.NOT_REFUTED), study.result


@pytest.mark.filterwarnings("ignore")
def test_per_record_gradients_of_a_module_are_planted():
    from dpverify.canary_kit.planted import Planted

    module = opacus.GradSampleModule(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)))
    module(torch.ones(4, 3)).sum().backward()
    planted = Planted(np.array([-1, 1, 0, -1]), 2, coordinates=[7, 9], norm=5.0)
    planted.plant(module, torch.arange(4))
    flat = torch.cat([each.grad_sample.reshape(4, -1) for each in module.parameters()], dim=1)
    assert flat.shape == (4, 11)
    assert torch.nonzero(flat[1]).ravel().tolist() == [9]
    assert torch.nonzero(flat[2]).ravel().tolist() == [7]
    assert flat[1, 9] == flat[2, 7] == 5
    assert torch.count_nonzero(flat[0]) > 2
    with pytest.raises(InputError, match="grad_sample"):
        planted.plant(torch.nn.Linear(3, 3), [0])
    with pytest.raises(InputError, match="without gradients"):
        planted.observe(torch.nn.Linear(3, 3))
