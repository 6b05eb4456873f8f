"""DP-Adam beside Kingma and Ba's Algorithm 1 in plain NumPy, and its non-private limit."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.adam import adam
from reference_impls.optimizers.dp_adam import DpAdam

RNG = np.random.default_rng(2)
TABLE = Table(features=0.4 * RNG.normal(size=(20, 3)), labels=RNG.choice([-1.0, 1.0], 20))


def _of(batch: np.ndarray) -> list[tuple[np.ndarray, float]]:
    return [(TABLE.features[i], TABLE.labels[i]) for i in batch]


def test_it_is_algorithm_1_of_kingma_and_ba() -> None:
    whole = DpAdam(steps=9, rate=0.3, noise_multiplier=0.7, clip=0.4, step_size=0.05, l2=0.1).transcript(
        TABLE, rng=stream(0, "adam")
    )
    m, v, w = np.zeros(3), np.zeros(3), np.zeros(3)
    batches = [draw.values for draw in whole.draws if draw.name == "batch"]
    clipped = 0
    for t, noisy in enumerate(whole.released("gradient"), start=1):
        gradients = [-y * x / (1 + np.exp(y * (x @ w))) for x, y in _of(batches[t - 1])]
        clean = sum((each / max(1.0, np.linalg.norm(each) / 0.4) for each in gradients), np.zeros(3))
        clipped += sum(np.linalg.norm(each) > 0.4 for each in gradients)
        assert whole.perturbed[t - 1].clean == pytest.approx(clean, rel=1e-12, abs=1e-14)
        g = noisy / 6.0 + 0.1 * w
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w = w - 0.05 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        assert whole.iterates[t] == pytest.approx(w, rel=1e-12, abs=1e-14)
    assert clipped > 0
    for each in whole.perturbed:
        assert (each.law, each.scale, each.sensitivity) == ("gaussian", 0.7 * 0.4, 0.4)


def test_without_noise_it_ends_at_the_optimum() -> None:
    algorithm = adam(steps=3000, rate=1.0, step_size=0.01, l2=0.1)
    weights = algorithm.train(TABLE, rng=stream(0, "limit"))
    gradient = find_model("logistic").gradient(weights, TABLE) / 20 + 0.1 * weights
    assert np.abs(gradient).max() < 1e-6


def test_its_cost_is_dp_sgd_s() -> None:
    assert DpAdam(steps=9, rate=0.3).composition(20).size == 9


@pytest.mark.parametrize(
    "wrong", [{"beta1": 1.0}, {"beta2": -0.1}, {"stabiliser": 0.0}, {"clip": np.inf}, {"rate": 0.0}]
)
def test_bad_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        DpAdam(**wrong)  # type: ignore[arg-type]
