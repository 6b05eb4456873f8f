"""Algorithms 4.1 and 4.2, DP-ADMM and ADMM-ObjP beside plain NumPy, and kernels beside loops, on the same numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.admm_obj_p import AdmmObjP
from reference_impls.admm.dp_admm import DpAdmm
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.admm.stochastic_admm import StochasticAdmm
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.training.trainer import Training

RNG = np.random.default_rng(0)
TABLE = Table(features=0.6 * RNG.normal(size=(14, 3)), labels=RNG.choice([-1.0, 1.0], 14))
CLOSE = {"rel": 1e-12, "abs": 1e-13}


def gradients(w: np.ndarray, rows: np.ndarray | range, clip: float = math.inf) -> np.ndarray:
    """The sum of clipped logistic gradients."""
    total = np.zeros(3)
    for i in rows:
        x, y = TABLE.features[i], TABLE.labels[i]
        one = -y * x / (1 + np.exp(y * (x @ w)))
        total += one / max(1.0, np.linalg.norm(one) / clip)
    return total


def soft(v: np.ndarray, t: float) -> np.ndarray:
    """(4.11), case by case."""
    return np.array([each - t if each > t else each + t if each < -t else 0.0 for each in v])


@pytest.mark.parametrize("output", ["last", "average"])
def test_it_is_algorithm_4_1(output: str) -> None:
    algorithm = SsAdmm(steps=9, batch_size=4, sigma=0.2, clip=0.3, l1=0.05, rho=0.4, initial_step=1.7, output=output)
    whole = algorithm.transcript(TABLE, rng=stream(0, "twin"))
    batches = [draw.values for draw in whole.draws if draw.name == "batch"]
    units = [draw.values for draw in whole.draws if draw.name == "gradient"]
    assert len(batches) == len(units) == 9
    x, y, z = np.zeros((3, 3))
    path = [x]
    for k in range(9):
        eta = 1.7 / (1 + math.floor(k / (14 / 4)))
        assert len(set(batches[k].tolist())) == 4
        noisy = gradients(x, batches[k], 0.3) / 4 + 0.2 * units[k]
        x = 1 / (0.4 + 1 / eta) * (-noisy - y + 0.4 * z + x / eta)
        z = soft(x + y / 0.4, 0.05 / 0.4)
        y = y + 0.4 * (x - z)
        path.append(x)
        assert whole.step_sizes[k] == eta
        assert whole.iterates[k + 1] == pytest.approx(x, **CLOSE)
        assert whole.public["z"][k] == pytest.approx(z, **CLOSE)
        assert whole.public["y"][k] == pytest.approx(y, **CLOSE)
        assert whole.perturbed[k].sensitivity == 2 * 0.3 / 4
    assert whole.result == pytest.approx(x if output == "last" else np.mean(path[:-1], axis=0), **CLOSE)


def test_it_is_algorithm_4_2() -> None:
    algorithm = MpAdmm(epochs=5, sigma=0.2, clip=0.3, l1=0.05, rho=0.4, initial_step=3.0, schedule="root")
    whole = algorithm.transcript(TABLE, rng=stream(1, "twin"))
    units = {name: [d.values for d in whole.draws if d.name == name] for name in "xyz"}
    assert [draw.name for draw in whole.draws] == ["x", "y", "z"] * 5
    x, y, z = np.zeros((3, 3))
    for k in range(5):
        eta = 3.0 / math.sqrt(k + 1)
        x = (-gradients(x, range(14), 0.3) / 14 - y + 0.4 * z + x / eta) / (0.4 + 1 / eta)
        z = soft(x + y / 0.4, 0.05 / 0.4)
        y = y + 0.4 * (x - z)
        clean = {each.name: each.clean for each in whole.perturbed[3 * k : 3 * k + 3]}
        for name, value in (("x", x), ("y", y), ("z", z)):
            assert clean[name] == pytest.approx(value, **CLOSE)
        x, y, z = (value + 0.2 * units[name][k] for name, value in (("x", x), ("y", y), ("z", z)))
        assert whole.step_sizes[k] == eta
        assert whole.iterates[k + 1] == pytest.approx(x, **CLOSE)
    assert whole.result == pytest.approx(x, **CLOSE)


def test_it_is_dp_admm() -> None:
    whole = DpAdmm(rounds=4, parties=3, noise_multiplier=1.5, clip=0.3, l1=0.06, rho=0.4, initial_step=2.0).transcript(
        TABLE, rng=stream(2, "twin")
    )
    blocks = [range(5), range(5, 10), range(10, 14)]
    w, shown, duals = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    draws = iter(whole.draws)
    for k in range(4):
        eta = 2.0 / math.sqrt(k + 1)
        for i, block in enumerate(blocks):
            slope = gradients(shown[i], block, 0.3) / len(block) + 0.06 / 3 * np.sign(shown[i])
            moved = 2 * 0.3 / (len(block) * (0.4 + 1 / eta))
            # stationary: slope - dual + rho (new - w) + (new - shown) / eta = 0
            new = (-slope + duals[i] + 0.4 * w + shown[i] / eta) / (0.4 + 1 / eta)
            draw = next(draws)
            assert draw.name == f"party-{i}"
            shown[i] = new + 1.5 * moved * draw.values
            assert whole.perturbed[3 * k + i].sensitivity == pytest.approx(moved, rel=1e-14)
        w = shown.mean(axis=0) - duals.mean(axis=0) / 0.4
        duals = duals - 0.4 * (shown - w)
        assert whole.step_sizes[k] == eta
        assert whole.iterates[k + 1] == pytest.approx(w, **CLOSE)
    assert whole.result == pytest.approx(w, **CLOSE)


def test_it_is_admm_with_a_perturbed_objective() -> None:
    table = TABLE.normalised()
    algorithm = AdmmObjP(rounds=3, epsilon=4.0, rho=0.4, l1=0.05, descent_steps=7)
    whole = algorithm.transcript(table, rng=stream(3, "twin"))
    assert [draw.name for draw in whole.draws] == ["direction", "length"] * 3
    x, y, z = np.zeros((3, 3))
    for k in range(3):
        normals, lengths = whole.draws[2 * k].values, whole.draws[2 * k + 1].values
        b = normals / np.linalg.norm(normals) * lengths.sum() * 2 / 4.0
        for _ in range(7):
            total = b.copy()
            for row, label in zip(table.features, table.labels, strict=True):
                total += -label * row / (1 + np.exp(label * (row @ x)))
            x = x - (total / 14 + y + 0.4 * (x - z)) / (0.25 + 0.4)
        z = soft(x + y / 0.4, 0.05 / 0.4)
        y = y + 0.4 * (x - z)
        assert not whole.perturbed[k].released
        assert whole.perturbed[k].clean == pytest.approx(b, **CLOSE)
        assert whole.iterates[k + 1] == pytest.approx(x, **CLOSE)
    assert whole.result == pytest.approx(x, **CLOSE)


def test_its_minima_are_minima_where_they_are_asked_for() -> None:
    """Each x against the stationarity of 14 times its own objective, told again from the noise and the path."""
    table = TABLE.normalised()
    algorithm = AdmmObjP(rounds=4, epsilon=4.0, rho=0.4, l1=0.05, descent_steps=None)
    whole = algorithm.transcript(table, rng=stream(3, "minima"))
    y, z = np.zeros((2, 3))
    for k in range(4):
        x, b = whole.iterates[k + 1], whole.perturbed[k].clean
        slopes = -(table.labels / (1 + np.exp(table.labels * (table.features @ x))))[:, None] * table.features
        rest = slopes.sum(axis=0) + b + 14 * (y + 0.4 * (x - z))
        assert np.abs(rest).max() <= 1.01e-6
        z = soft(x + y / 0.4, 0.05 / 0.4)
        y = y + 0.4 * (x - z)
    few = replace(algorithm, descent_steps=1).train(table, rng=stream(3, "minima"))
    assert few != pytest.approx(whole.result, abs=1e-3)
    with pytest.raises(InputError, match="a minimum that was not reached"):
        replace(algorithm, iterations=1, tolerance=1e-13).train(table, rng=stream(3, "minima"))


@pytest.mark.parametrize("loss", [*LINEAR_LOSSES, "huber-svm:0.1"])
@pytest.mark.parametrize(
    "algorithm",
    [
        SsAdmm(steps=6, sigma=0.2, clip=0.3, l1=0.05),
        SsAdmm(steps=6, sigma=0.2, clip=0.3, l1=0.05, batch_size=20, output="average", schedule="root"),
        MpAdmm(epochs=5, sigma=0.2, clip=0.3, l1=0.05, schedule="root"),
    ],
)
def test_the_kernel_is_the_loop(algorithm: SsAdmm | MpAdmm, loss: str) -> None:
    algorithm = replace(algorithm, model=loss)
    fast = algorithm.sample(TABLE, 4, rng=stream(0, "kernel", loss))
    slow = Training.sample(algorithm, TABLE, 4, rng=stream(0, "kernel", loss))
    assert fast == pytest.approx(slow, **CLOSE)
    assert len(np.unique(fast[:, 0])) == 4


def test_without_noise_and_clipping_ss_admm_is_stochastic_admm() -> None:
    settings = {"steps": 8, "batch_size": 4, "l1": 0.05, "rho": 0.4, "schedule": "root", "clip": math.inf}
    ours = SsAdmm(sigma=0.0, **settings).transcript(TABLE, rng=stream(4, "twin"))
    batches = [draw for draw in ours.draws if draw.name == "batch"]
    plain = StochasticAdmm(**settings)
    again = plain.replay(TABLE, type(ours)(result=ours.result, iterates=ours.iterates, draws=tuple(batches)))
    assert np.array_equal(again.iterates, ours.iterates)
    assert again.result.any()
