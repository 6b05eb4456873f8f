"""One training by DP-AGD on one core: the kernel that moves scores along a ray, beside the loop on a tape.

As large as Adult: n = 48,842 records of d = 124 one-hot features, fourteen of them 1, and the published settings at
epsilon = 0.2, some 300 iterations with 21 candidates each. Both give the same weights up to the order of sums in the
same run. Times are the thread's own; nothing here asserts one, the aim is 15 times. Run with ``pytest tests/benchmarks
--benchmark-only -s``.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.dp_agd import DpAgd

pytest.importorskip("pytest_benchmark")

ROUNDS = 3


def one_hot(rows: int, columns: int, kinds: int) -> Table:
    rng = stream(0, "benchmark", "dp-agd")
    features = np.zeros((rows, columns))
    for j in range(kinds):
        first, last = j * columns // kinds, (j + 1) * columns // kinds
        features[np.arange(rows), rng.integers(first, last, rows)] = 1.0
    labels = np.where(features @ rng.standard_normal(columns) + rng.standard_normal(rows) > 0, 1.0, -1.0)
    return Table(features=features, labels=labels, name="simulated")


@pytest.mark.parametrize("model", ["logistic", "huber-svm"])
def test_one_training(benchmark: Any, request: pytest.FixtureRequest, model: str) -> None:
    table, algorithm = one_hot(48_842, 124, 14), DpAgd(model=model, epsilon=0.2)
    algorithm.sample(table, 1, rng=stream(0))  # compiled before the clock starts
    kernel = []
    for turn in range(ROUNDS):
        begun = time.thread_time()
        fast = algorithm.sample(table, 1, rng=stream(turn))[0]
        kernel.append(time.thread_time() - begun)
    begun = time.thread_time()
    slow = algorithm.train(table, rng=stream(ROUNDS - 1))
    loop = time.thread_time() - begun
    assert fast == pytest.approx(slow, rel=1e-9, abs=1e-12)
    benchmark.pedantic(algorithm.sample, args=(table, 1), kwargs={"rng": stream(0)}, rounds=1)
    request.config.get_terminal_writer().line(
        f"\nDP-AGD {model}, n=48,842 d=124: {min(kernel):.2f} s, {loop / min(kernel):.1f} times the loop ({loop:.1f} s)"
    )
