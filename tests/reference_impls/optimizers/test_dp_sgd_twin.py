"""DP-SGD beside its pseudo-code in plain NumPy, and its kernel beside its loop, on the same random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.training.trainer import Training

RNG = np.random.default_rng(0)
TABLE = Table(features=0.4 * RNG.normal(size=(20, 3)), labels=RNG.choice([-1.0, 1.0], 20))
SETTINGS = {"steps": 6, "rate": 0.3, "noise_multiplier": 1.5, "clip": 0.4, "step_size": 0.7, "l2": 0.05}


def logistic_gradient(x: np.ndarray, y: float, w: np.ndarray) -> np.ndarray:
    return -y * x / (1 + np.exp(y * (x @ w)))


@pytest.mark.parametrize("divisor", [None, 5.0])
def test_it_is_algorithm_1_of_abadi_et_al(divisor: float | None) -> None:
    whole = DpSgd(**SETTINGS, divisor=divisor).transcript(TABLE, rng=stream(0, "twin"))
    batches = [draw.values for draw in whole.draws if draw.name == "batch"]
    units = [draw.values for draw in whole.draws if draw.name == "gradient"]
    assert len(batches) == len(units) == SETTINGS["steps"]
    w = np.zeros(3)
    for step, (batch, unit) in enumerate(zip(batches, units, strict=True)):
        gradients = [logistic_gradient(TABLE.features[i], TABLE.labels[i], w) for i in batch]
        clipped = [g / max(1.0, np.linalg.norm(g) / 0.4) for g in gradients]
        total = sum(clipped, np.zeros(3))
        assert whole.perturbed[step].clean == pytest.approx(total, rel=1e-12, abs=1e-14)
        noisy = total + 1.5 * 0.4 * unit
        w = w - 0.7 * (noisy / (0.3 * 20 if divisor is None else divisor) + 0.05 * w)
        assert whole.iterates[step + 1] == pytest.approx(w, rel=1e-12, abs=1e-14)
    assert whole.result == pytest.approx(w, rel=1e-12)


@pytest.mark.parametrize("divisor", [None, 5.0])
@pytest.mark.parametrize("loss", [*LINEAR_LOSSES, "huber-svm:0.1"])
def test_the_kernel_is_the_loop(loss: str, divisor: float | None) -> None:
    """Same bits where the compiler orders both sums alike, as here; 1e-12 of them is what is promised."""
    algorithm = DpSgd(model=loss, **SETTINGS, divisor=divisor)
    fast = algorithm.sample(TABLE, 5, rng=stream(0, "kernel", loss))
    slow = Training.sample(algorithm, TABLE, 5, rng=stream(0, "kernel", loss))
    assert fast == pytest.approx(slow, rel=1e-12, abs=1e-13)
    tape = Tape.recording(stream(0, "kernel", loss))
    assert algorithm.run(TABLE, tape) == pytest.approx(fast[0], rel=1e-12, abs=1e-13)
