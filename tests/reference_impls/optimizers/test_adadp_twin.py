"""ADADP beside its pseudo-code in plain NumPy, and its kernel beside its loop, on the same random numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.canaries import DIRAC, canary_table
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.optimizers.adadp import Adadp
from reference_impls.training.trainer import Training

RNG = np.random.default_rng(3)
TABLE = Table(features=0.4 * RNG.normal(size=(14, 3)), labels=RNG.choice([-1.0, 1.0], 14))
SETTINGS: dict[str, Any] = {"steps": 7, "batch_size": 4, "noise_multiplier": 1.5, "clip": 0.4, "initial_step": 0.7}


def clipped_sum(batch: np.ndarray, w: np.ndarray) -> np.ndarray:
    total = np.zeros(3)
    for i in batch:
        x, y = TABLE.features[i], TABLE.labels[i]
        gradient = -y * x / (1 + np.exp(y * (x @ w)))
        total += gradient / max(1.0, np.linalg.norm(gradient) / 0.4)
    return total


def batches_of(whole: Any, size: int) -> list[np.ndarray]:
    """Told from the draws alone."""
    found = []
    for draw in whole.draws:
        if draw.kind == "poisson-subset":
            found.append(draw.values)
        elif draw.kind == "permutation":
            found += [draw.values[k : k + size] for k in range(0, 14, size)]
    return found


@pytest.mark.parametrize("sampling", ["poisson", "shuffled"])
@pytest.mark.parametrize("error", ["relative", "plain"])
def test_it_is_algorithm_2(sampling: str, error: str) -> None:
    """Started far out, so that (6) has something to divide by."""
    whole = Adadp(sampling=sampling, error=error, **{**SETTINGS, "initial_step": 4.0}).transcript(
        TABLE, rng=stream(0, "twin", sampling)
    )
    batches = batches_of(whole, 4)
    units = [draw.values for draw in whole.draws if draw.name == "gradient"]
    assert len(units) == 14
    assert len(batches) in (14, 16)  # three and a half epochs of four batches: the rest of the fourth is not used
    theta, eta, factors = np.zeros(3), 4.0, []
    for step in range(7):
        g1 = clipped_sum(batches[2 * step], theta) + 0.6 * units[2 * step]
        full = theta - eta * g1
        half = theta - eta / 2 * g1
        g2 = clipped_sum(batches[2 * step + 1], half) + 0.6 * units[2 * step + 1]
        hat = half - eta / 2 * g2
        parts = np.abs(full - hat) / (np.maximum(1.0, np.abs(full)) if error == "relative" else 1.0)
        err = np.linalg.norm(parts)
        assert whole.step_sizes[step] == pytest.approx(eta, rel=1e-12)
        assert whole.public["error"][step] == pytest.approx(err, rel=1e-12)
        factors.append(min(max(1.0 / err, 0.9), 1.1))
        eta *= factors[-1]
        theta = full
        assert whole.iterates[step + 1] == pytest.approx(theta, rel=1e-12, abs=1e-14)
    assert whole.result == pytest.approx(theta, rel=1e-12)
    assert min(factors) == 0.9
    assert np.abs(whole.iterates).max() > 1


def test_the_authors_code_takes_the_half_steps_the_root_and_discards() -> None:
    whole = Adadp(text="code", tol=0.7, **SETTINGS).transcript(TABLE, rng=stream(1, "twin"))
    batches = batches_of(whole, 4)
    units = [draw.values for draw in whole.draws if draw.name == "gradient"]
    theta, eta = np.zeros(3), 0.7
    for step in range(7):
        g1 = clipped_sum(batches[2 * step], theta) + 0.6 * units[2 * step]
        half = theta - eta / 2 * g1
        hat = half - eta / 2 * (clipped_sum(batches[2 * step + 1], half) + 0.6 * units[2 * step + 1])
        full = theta - eta * g1
        err = np.sqrt(np.sum((full - hat) ** 2 / np.maximum(1.0, full**2)))
        assert whole.public["answer"][step] == (err <= 0.7)
        theta = hat if err <= 0.7 else theta
        eta *= min(max(np.sqrt(0.7 / err), 0.9), 1.1)
        assert whole.iterates[step + 1] == pytest.approx(theta, rel=1e-12, abs=1e-14)
    assert 0 < whole.public["answer"].sum() < 7


@pytest.mark.parametrize("loss", [*LINEAR_LOSSES, "huber-svm:0.1"])
@pytest.mark.parametrize(
    "more",
    [
        {"sampling": "poisson"},
        {"sampling": "poisson", "rate": 0.6, "error": "plain", "discard": True},
        {"sampling": "shuffled"},
        {"sampling": "shuffled", "batch_size": 7, "divisor": 3.0},
        {"sampling": "shuffled", "batch_size": 20, "text": "code"},
        {"sampling": "poisson", "text": "code"},
    ],
)
def test_the_kernel_is_the_loop(loss: str, more: dict[str, Any]) -> None:
    """Same bits where the compiler orders both sums alike, as here; 1e-12 of them is what is promised."""
    algorithm = Adadp(model=loss, **{**SETTINGS, "tol": 0.7, **more})
    fast = algorithm.sample(TABLE, 4, rng=stream(0, "kernel", loss))
    slow = Training.sample(algorithm, TABLE, 4, rng=stream(0, "kernel", loss))
    assert fast == pytest.approx(slow, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("sampling", ["poisson", "shuffled"])
def test_traces_are_the_noisy_sums_of_the_loop(sampling: str) -> None:
    algorithm = Adadp(model="logistic", sampling=sampling, batch_size=3, steps=3, clip=0.5, divisor=2.0)
    rng = stream(0, "table")
    table = replace(
        canary_table([DIRAC] * 8, high=1.0, name="t"), features=rng.normal(size=(8, 2)), labels=np.tile([1.0, -1.0], 4)
    )
    found = algorithm.traces(table, 2, rng=stream(0, "traces"))
    slow = algorithm.transcript(table, rng=stream(0, "traces")).released("gradient")
    assert found.shape == (2, 6, 2)
    np.testing.assert_allclose(found[0], np.stack(slow) / 0.5, rtol=1e-11, atol=1e-12)
    with pytest.raises(InputError, match="linear model"):
        Adadp(model="mlp:2-3-2").traces(table, 1, rng=rng)
