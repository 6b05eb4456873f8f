"""One iteration: the kernel against the loop on the same numbers, and against plain NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.papers.blsgd.lemmas.blsgd_step import BlsgdStep
from reference_impls.training.trainer import Training

SETTINGS: dict[str, Any] = {"q": 0.3, "eta0": 8.0, "max_it": 6, "budget_bt": 0.8, "at": (0.5, -2.0, 1.0), "l2": 0.03}


@pytest.mark.parametrize("loss", LINEAR_LOSSES)
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize(("divisor", "shared"), [("realised", True), ("expected", False)])
def test_the_kernel_is_the_loop(small: Table, loss: str, noise: Any, divisor: Any, shared: bool) -> None:
    subject = BlsgdStep(model=loss, noise=noise, divisor=divisor, shared=shared, retries=3, **SETTINGS)
    fast = subject.sample(small, 40, rng=stream(0, "step"))
    slow = Training.sample(subject, small, 40, rng=stream(0, "step"))
    assert fast == pytest.approx(slow, rel=1e-12, abs=1e-15)
    assert (fast[:, 3] < 6).any() and (fast[:, 3] == 6).any()
    assert ((fast[:, 4] == -1) == (fast[:, 3] < 6)).all()


def test_the_loop_is_plain_numpy(small: Table) -> None:
    subject = BlsgdStep(retries=2, c_grad=0.3, c_obj=0.7, rho_grad=0.2, **SETTINGS)
    x, y, w = np.array(small.features), np.array(small.labels), np.array(SETTINGS["at"])

    def objective(at: np.ndarray, batch: np.ndarray) -> float:
        losses = np.logaddexp(0.0, -y[batch] * (x[batch] @ at))
        return float(np.minimum(losses, 0.7).sum() + 0.03 / 2 * 0.3 * 30 * (at @ at))

    for number in range(10):
        transcript = subject.transcript(small, rng=stream(number, "step"))
        batch, units, *searches = (draw.values for draw in transcript.draws)
        gradients = [-y[i] / (1 + math.exp(y[i] * float(x[i] @ w))) * x[i] for i in batch]
        total = sum((g / max(1.0, float(np.linalg.norm(g)) / 0.3) for g in gradients), np.zeros(3))
        direction = (total + 0.3 / math.sqrt(0.4) * units) / max(len(batch), 1) + 0.03 * w
        answers, numbers = [-1, -1], iter(searches)
        for attempt in range(2):
            threshold, found = 0.7 / 0.4 * next(numbers)[0], 6
            for index in range(6):
                eta = 8.0 * 0.8**index
                query = objective(w, batch) - 0.5 * eta * (direction @ direction)
                query -= objective(w - eta * direction, batch)
                if query + 0.7 / 0.2 * next(numbers)[0] >= threshold:
                    found = index
                    break
            answers[attempt] = found
            if found < 6:
                break
        assert transcript.result == pytest.approx(np.array([*direction, *answers]), rel=1e-12)
        assert next(numbers, None) is None


def test_other_models_take_the_loop(small: Table) -> None:
    subject = BlsgdStep(retries=0, q=1.0, rho_grad=1e20)
    assert subject.sample(small, 3, rng=stream(0, "step")).shape == (3, 3)


def test_composition() -> None:
    assert [BlsgdStep(retries=retries).composition().size for retries in (0, 1, 5)] == [1, 2, 6]


def test_bad_settings(small: Table) -> None:
    for settings, message in (({"retries": -1}, "retries"), ({"at": (math.nan,)}, "at"), ({"q": 2.0}, "q = 2")):
        with pytest.raises(InputError, match=message):
            BlsgdStep(**settings)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="weights of shape"):
        BlsgdStep(at=(1.0, 2.0)).train(small, rng=stream(0, "step"))
