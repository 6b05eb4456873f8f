"""Whole DP-SGD trainings a second on one core: the jitted kernel, the definition on a tape, and a NumPy loop.

n = 1000 records, d = 20, T = 100 steps, q = 0.1, logistic loss, the setting of the measured limits. The kernel and the
definition give the same bits in the same run; the NumPy loop draws its own numbers and is held against their mean.
Rates are by the thread's own processor time; nothing here asserts one. Run with
``pytest tests/benchmarks --benchmark-only -s``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.training.trainer import Training

pytest.importorskip("pytest_benchmark")

Float = NDArray[np.float64]

ALGORITHM = DpSgd(model="logistic", steps=100, rate=0.1, noise_multiplier=1.0, clip=1.0, step_size=1.0)
RUNS = {"kernel": 8_000, "tape": 200, "numpy": 400}
ROUNDS = 3
FALSE_ALARM_SIGMAS = 6.5  # two-sided normal tail 8e-11 a coordinate, 20 of them


def records() -> Table:
    rng = stream(0, "benchmark", "dp-sgd")
    features = rng.standard_normal((1000, 20))
    features /= np.linalg.norm(features, axis=1)[:, None]
    labels = np.where(features[:, 0] + 0.3 * rng.standard_normal(1000) > 0, 1.0, -1.0)
    return Table(features=features, labels=labels, name="simulated")


def numpy_loop(table: Table, runs: int, rng: np.random.Generator) -> Float:
    """What one writes with NumPy: a coin a record, vectorised over the batch."""
    x, y = table.features, table.labels
    norms = np.linalg.norm(x, axis=1)
    out = np.empty((runs, x.shape[1]))
    for run in range(runs):
        w = np.zeros(x.shape[1])
        for _ in range(ALGORITHM.steps):
            batch = rng.random(len(y)) < ALGORITHM.rate
            xs, ys = x[batch], y[batch]
            slopes = -ys / (1.0 + np.exp(ys * (xs @ w)))
            slopes /= np.maximum(1.0, np.abs(slopes) * norms[batch] / ALGORITHM.clip)
            noisy = slopes @ xs + ALGORITHM.noise_scale * rng.standard_normal(w.size)
            w = w - ALGORITHM.step_size * noisy / (ALGORITHM.rate * len(y))
        out[run] = w
    return out


CONTENDERS: dict[str, Callable[[Table, int, np.random.Generator], Float]] = {
    "kernel": lambda table, runs, rng: ALGORITHM.sample(table, runs, rng=rng),
    "tape": lambda table, runs, rng: Training.sample(ALGORITHM, table, runs, rng=rng),
    "numpy": numpy_loop,
}


def test_trainings_a_second(benchmark: Any, request: pytest.FixtureRequest) -> None:
    table = records()
    ALGORITHM.sample(table, 1, rng=stream(0))  # compiled before the clock starts
    rates, results = {}, {}
    for name, contender in CONTENDERS.items():
        best = 0.0
        for turn in range(ROUNDS):
            started = time.thread_time()
            results[name] = contender(table, RUNS[name], stream(turn, "benchmark", "dp-sgd", "runs"))
            best = max(best, RUNS[name] / (time.thread_time() - started))
        rates[name] = best
    assert (results["tape"] == results["kernel"][: RUNS["tape"]]).all()
    difference = results["numpy"].mean(axis=0) - results["kernel"].mean(axis=0)
    spread = np.sqrt(results["numpy"].var(axis=0) / RUNS["numpy"] + results["kernel"].var(axis=0) / RUNS["kernel"])
    assert (np.abs(difference) < FALSE_ALARM_SIGMAS * spread).all()
    benchmark.pedantic(ALGORITHM.sample, args=(table, 1_000), kwargs={"rng": stream(1)}, rounds=1)
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\nDP-SGD logistic, n=1000 d=20 T=100 q=0.1: {rates['kernel']:,.0f} trainings a second on one core")
        for name in ("tape", "numpy"):
            print(f"  {rates['kernel'] / rates[name]:6.1f} x {name} ({rates[name]:,.0f})")
