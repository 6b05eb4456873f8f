"""NSGD, RSGD-AR and OutPert-GD beside their pseudo-code in plain NumPy, and the kernel beside the loop, on the same
random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.nsgd import Nsgd
from reference_impls.optimizers.out_pert_gd import OutPertGd
from reference_impls.optimizers.rsgd_ar import RsgdAr
from reference_impls.training.trainer import Training

RNG = np.random.default_rng(0)
TABLE = Table(features=RNG.normal(size=(20, 3)), labels=RNG.choice([-1.0, 1.0], 20)).normalised()
SHARED = {"epochs": 5, "batch_size": 6, "initial_step": 0.7, "l2": 0.05, "sigma": 0.3}
"""Batches of 6, 6, 6 and 2."""


def mean_gradient(w: np.ndarray, records: np.ndarray) -> np.ndarray:
    total = np.zeros(3)
    for i in records:
        x, y = TABLE.features[i], TABLE.labels[i]
        total += -y * x / (1 + np.exp(y * (x @ w))) + 0.05 * w
    return total / len(records)


@pytest.mark.parametrize("text", ["rsgd", "diss"])
def test_it_is_algorithm_3_of_either_text(text: str) -> None:
    """Line by line, iterates by their numbers t; the two texts' windows and schedules each with its own."""
    algorithm = RsgdAr(**SHARED, interval=2, schedule="restart" if text == "rsgd" else "epoch")
    whole = algorithm.transcript(TABLE, rng=stream(0, "twin"))
    order = next(draw.values for draw in whole.draws if draw.name == "batch")
    assert sorted(order.tolist()) == list(range(20))
    batches = [order[:6], order[6:12], order[12:18], order[18:]]
    w = {0: np.zeros(3)}
    m, tau, t, h = 4, 2, 0, 0
    for s in range(1, 6):
        h = h + 1
        eta = 0.7 / h if text == "rsgd" else 0.7 / s
        for j in range(m):
            t = t + 1
            w[t] = w[t - 1] - eta * mean_gradient(w[t - 1], batches[j])
        if s % tau == 0 and text == "rsgd":
            w[t] = sum(w[t - k] for k in range(m * tau)) / (m * tau)
            h = 0
            t = t + 1
            w[t] = w[t - 1]
        elif s % tau == 0:
            t = t + 1
            w[t] = sum(w[t - k] for k in range(1, m * tau + 1)) / (m * tau)
            h = 0
    final = whole.perturbed[-1]
    assert final.clean == pytest.approx(w[t], rel=1e-12, abs=1e-14)
    assert whole.result == pytest.approx(w[t] + 0.3 * whole.draws[-1].values, rel=1e-12)
    assert (final.name, final.law, final.scale, final.released) == ("model", "gaussian", 0.3, True)


@pytest.mark.parametrize("schedule", ["epoch", "fixed"])
def test_it_is_algorithm_1(schedule: str) -> None:
    whole = Nsgd(**SHARED, schedule=schedule).transcript(TABLE, rng=stream(0, "twin"))
    w = np.zeros(3)
    for s in range(1, 6):
        eta = 0.7 / s if schedule == "epoch" else 0.7
        for first in (0, 6, 12, 18):
            w = w - eta * mean_gradient(w, np.arange(20)[first : first + 6])
    assert whole.perturbed[-1].clean == pytest.approx(w, rel=1e-12, abs=1e-14)
    assert whole.result == pytest.approx(w + 0.3 * whole.draws[-1].values, rel=1e-12)


def test_one_batch_and_a_fixed_step_are_gradient_descent() -> None:
    """RS-GD: NSGD with m = 1 and no line 4 walks the path of OutPert-GD, bit for bit."""
    one = Nsgd(epochs=7, batch_size=20, initial_step=0.9, schedule="fixed", l2=0.1, sigma=1.0)
    other = OutPertGd(steps=7, step_size=0.9, l2=0.1)
    paths = [
        [each.clean for each in algorithm.transcript(TABLE, rng=stream(0, "path")).perturbed if not each.released]
        for algorithm in (one, other)
    ]
    assert len(paths[0]) == 7
    assert np.array_equal(*paths)
    w = np.zeros(3)
    for _ in range(7):
        slopes = -TABLE.labels / (1 + np.exp(TABLE.labels * (TABLE.features @ w)))
        w = w - 0.9 * (slopes @ TABLE.features / 20 + 0.1 * w)
    assert paths[1][-1] == pytest.approx(w, rel=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "huber-svm", "huber-svm:0.1"])
@pytest.mark.parametrize("schedule", ["restart", "epoch"])
def test_the_kernel_is_the_loop(loss: str, schedule: str) -> None:
    algorithm = RsgdAr(**SHARED, model=loss, interval=2, schedule=schedule)
    fast = algorithm.sample(TABLE, 5, rng=stream(0, "kernel", loss))
    slow = Training.sample(algorithm, TABLE, 5, rng=stream(0, "kernel", loss))
    assert fast == pytest.approx(slow, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("algorithm", [Nsgd(**SHARED), OutPertGd()])
def test_one_training_and_many_noises_are_many_runs(algorithm: Nsgd | OutPertGd) -> None:
    fast = algorithm.sample(TABLE, 5, rng=stream(0, "noises"))
    assert np.array_equal(fast, Training.sample(algorithm, TABLE, 5, rng=stream(0, "noises")))
