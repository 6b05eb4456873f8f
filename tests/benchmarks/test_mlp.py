"""One clipped step of a network beside the plain one: MLP 784-1000-10 on 300 images, record by record clipped or not.

The plain step is bare BLAS, written out: forward, backward, the gradient of the sum. Both give the same numbers without
clipping. By the thread's own processor time, BLAS at one thread; nothing here asserts a time. Run with
``pytest tests/benchmarks --benchmark-only -s``.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.cnn import BLSGD_MNIST
from reference_impls.models.model import find_model

pytest.importorskip("pytest_benchmark")

Float = NDArray[np.float64]
INPUTS, HIDDEN, CLASSES, BATCH = 784, 1000, 10, 300
ROUNDS = 10


def records() -> Table:
    rng = stream(0, "benchmark", "mlp")
    return Table(features=rng.random((2_000, INPUTS)), labels=rng.integers(0, CLASSES, 2_000).astype(np.float64))


def plain_gradient(weights: Float, table: Table, batch: NDArray[np.int64]) -> Float:
    """What one writes without privacy."""
    first, bias, second, last = np.split(weights, np.cumsum([HIDDEN * INPUTS, HIDDEN, CLASSES * HIDDEN]))
    first, second = first.reshape(HIDDEN, INPUTS), second.reshape(CLASSES, HIDDEN)
    x = table.features[batch]
    hidden = np.maximum(x @ first.T + bias, 0.0)
    scores = hidden @ second.T + last
    shares = np.exp(scores - scores.max(axis=1)[:, None])
    shares /= shares.sum(axis=1)[:, None]
    shares[np.arange(batch.size), table.labels[batch].astype(np.int64)] -= 1.0
    deltas = (shares @ second) * (hidden > 0.0)
    parts = (deltas.T @ x, deltas.sum(axis=0), shares.T @ hidden, shares.sum(axis=0))
    return np.concatenate([part.reshape(-1) for part in parts])


def test_a_clipped_step(benchmark: Any, request: pytest.FixtureRequest) -> None:
    table, rng = records(), stream(1, "benchmark", "mlp")
    batch = rng.choice(table.rows, BATCH, replace=False)
    mlp, cnn = find_model(f"mlp:{INPUTS}-{HIDDEN}-{CLASSES}"), find_model(BLSGD_MNIST)
    weights, kernels = mlp.start(INPUTS, rng=rng), cnn.start(INPUTS, rng=rng)
    norms = mlp.norms(weights, table, batch)
    clip = float(np.median(norms))  # half of the records are clipped
    steps = {
        "plain": lambda: plain_gradient(weights, table, batch),
        "clipped": lambda: mlp.gradient(weights, table, batch, clip=clip),
        "convolutional, clipped": lambda: cnn.gradient(kernels, table, batch, clip=clip),
    }
    with threadpool_limits(limits=1):
        assert np.allclose(mlp.gradient(weights, table, batch), steps["plain"](), rtol=1e-10, atol=1e-12)
        seconds = dict.fromkeys(steps, np.inf)
        for _ in range(ROUNDS):
            for name, step in steps.items():
                started = time.thread_time()
                step()
                seconds[name] = min(seconds[name], time.thread_time() - started)
        benchmark.pedantic(steps["clipped"], rounds=3)
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(
            f"\nMLP {INPUTS}-{HIDDEN}-{CLASSES}, {BATCH} records: plain step {1e3 * seconds['plain']:.1f} ms, one core"
        )
        for name in ("clipped", "convolutional, clipped"):
            print(f"  {seconds[name] / seconds['plain']:6.2f} x it, {name} ({1e3 * seconds[name]:.1f} ms)")
