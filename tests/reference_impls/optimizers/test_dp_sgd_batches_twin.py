"""Batches of a fixed size and shuffled batches: which records, which divisor; and their kernel beside the loop."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.optimizers.dp_sgd_fixed_size import DpSgdFixedSize
from reference_impls.optimizers.dp_sgd_shuffled import DpSgdShuffled
from reference_impls.optimizers.noisy_sgd import NoisySgd
from reference_impls.training.trainer import Training

RNG = np.random.default_rng(1)
TABLE = Table(features=0.4 * RNG.normal(size=(14, 3)), labels=RNG.choice([-1.0, 1.0], 14))
SETTINGS = {"steps": 7, "noise_multiplier": 1.5, "clip": 0.4, "step_size": 0.7, "l2": 0.05}


def slices(algorithm: NoisySgd, seed: int) -> list[np.ndarray]:
    """The batches of a run, told from its draws alone."""
    draws = [draw.values for draw in algorithm.transcript(TABLE, rng=stream(seed, "batches")).draws]
    orders = [values for values in draws if values.dtype == np.int64]
    if isinstance(algorithm, DpSgdFixedSize):
        return orders
    size = algorithm.batch_size  # type: ignore[attr-defined]  # both have it
    return [order[k : k + size] for order in orders for k in range(0, 14, size)][: algorithm.steps]


@pytest.mark.parametrize(
    "algorithm", [DpSgdFixedSize(batch_size=4, **SETTINGS), DpSgdShuffled(batch_size=4, **SETTINGS)]
)
def test_it_is_the_loop_of_its_docstring(algorithm: NoisySgd) -> None:
    whole = algorithm.transcript(TABLE, rng=stream(3, "batches"))
    units = [draw.values for draw in whole.draws if draw.name == "gradient"]
    batches = slices(algorithm, 3)
    assert len(units) == len(batches) == 7
    w = np.zeros(3)
    for batch, unit in zip(batches, units, strict=True):
        total = np.zeros(3)
        for i in batch:
            x, y = TABLE.features[i], TABLE.labels[i]
            gradient = -y * x / (1 + np.exp(y * (x @ w)))
            total += gradient / max(1.0, np.linalg.norm(gradient) / 0.4)
        w = w - 0.7 * ((total + 0.6 * unit) / 4.0 + 0.05 * w)
    assert whole.result == pytest.approx(w, rel=1e-12, abs=1e-14)


def test_an_epoch_takes_every_record_once_and_its_rest_is_smaller() -> None:
    batches = slices(DpSgdShuffled(batch_size=4, **{**SETTINGS, "steps": 8}), 5)
    assert [batch.size for batch in batches] == [4, 4, 4, 2, 4, 4, 4, 2]
    for epoch in (batches[:4], batches[4:]):
        assert sorted(np.concatenate(epoch).tolist()) == list(range(14))
    assert not np.array_equal(np.concatenate(batches[:4]), np.concatenate(batches[4:]))


def test_a_batch_of_fixed_size_has_no_record_twice() -> None:
    for batch in slices(DpSgdFixedSize(batch_size=4, **SETTINGS), 5):
        assert len(set(batch.tolist())) == batch.size == 4


@pytest.mark.parametrize("loss", LINEAR_LOSSES)
@pytest.mark.parametrize("size", [1, 4, 7, 14, 20])
@pytest.mark.parametrize("kind", [DpSgdFixedSize, DpSgdShuffled])
def test_the_kernel_is_the_loop(kind: type[NoisySgd], size: int, loss: str) -> None:
    algorithm = kind(model=loss, batch_size=size, **SETTINGS)
    fast = algorithm.sample(TABLE, 3, rng=stream(0, "kernel", loss, size))
    slow = Training.sample(algorithm, TABLE, 3, rng=stream(0, "kernel", loss, size))
    assert fast == pytest.approx(slow, rel=1e-12, abs=1e-13)
