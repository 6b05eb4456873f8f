"""Without noise they all reach the optimum that SciPy finds; one party is DP-SGD; bad input is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from dpverify.core.errors import InputError
from dpverify.core.transcript import Draw, Transcript
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.admm_obj_p import AdmmObjP
from reference_impls.admm.dp_admm import DpAdmm
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.admm.mp_admm_repaired import MpAdmmRepaired
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.admm.stochastic_admm import StochasticAdmm
from reference_impls.models.model import find_model
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.training.trainer import Training

RNG = np.random.default_rng(3)
TABLE = Table(features=RNG.normal(size=(40, 4)), labels=RNG.choice([-1.0, 1.0], 40, p=[0.3, 0.7])).normalised()
L1 = 0.03


def optimum(loss: str, l1: float, *, differences: bool = False, blocks: int = 1) -> np.ndarray:
    """By L-BFGS-B on positive and negative parts, which makes the L1 norm linear."""
    model = find_model(loss)
    into = np.tril(np.ones((4, 4))) if differences else np.eye(4)  # weights from what is penalised
    cost = np.full(4, l1)
    if differences:
        cost[0] = 0.0
    parts = np.array_split(np.arange(40), blocks)

    def objective(both: np.ndarray) -> tuple[float, np.ndarray]:
        w = into @ (both[:4] - both[4:])
        value = np.mean([model.losses(w, TABLE, part).mean() for part in parts])
        slope = into.T @ np.mean([model.gradient(w, TABLE, part) / part.size for part in parts], axis=0)
        return float(value + cost @ (both[:4] + both[4:])), np.concatenate([slope + cost, -slope + cost])

    found = minimize(
        objective,
        np.zeros(8),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * 8,
        options={"ftol": 0, "gtol": 1e-10, "maxiter": 5000},
    )
    return np.asarray(into @ (found.x[:4] - found.x[4:]))


QUIET = {"l1": L1, "rho": 0.3}
FLAT = {**QUIET, "schedule": "constant", "initial_step": 2.0}


@pytest.mark.parametrize("loss", ["logistic", "huber-svm"])
@pytest.mark.parametrize(
    "build",
    [
        lambda loss: SsAdmm(model=loss, steps=4000, sigma=0.0, batch_size=40, clip=math.inf, **FLAT),
        lambda loss: MpAdmm(model=loss, epochs=4000, sigma=0.0, clip=math.inf, **FLAT),
        lambda loss: AdmmObjP(model=loss, rounds=300, noise_multiplier=0.0, descent_steps=40, **QUIET),
    ],
)
def test_without_noise_they_solve_the_l1_problem(build: object, loss: str) -> None:
    algorithm = build(loss)  # type: ignore[operator]  # one of the above
    expected = optimum(loss, L1)
    assert np.count_nonzero(np.abs(expected) < 1e-7) >= 1  # l1 does something here
    found = algorithm.sample(TABLE, 1, rng=stream(0, "limit"))[0]
    assert found == pytest.approx(expected, abs=2e-6)


def test_differences_are_penalised_too() -> None:
    algorithm = StochasticAdmm(steps=3000, constraint="differences", **FLAT)
    found = algorithm.train(TABLE, rng=stream(0, "limit"))
    expected = optimum("logistic", L1, differences=True)
    assert np.count_nonzero(np.abs(np.diff(expected)) < 1e-7) >= 1
    assert found == pytest.approx(expected, abs=2e-6)


def test_parties_agree_on_the_optimum() -> None:
    """Unequal parties weigh equally: the mean of their means."""
    algorithm = DpAdmm(rounds=3000, parties=3, noise_multiplier=0.0, clip=math.inf, **{**FLAT, "l1": 0.0})
    expected = optimum("logistic", 0.0, blocks=3)
    assert algorithm.train(TABLE, rng=stream(0, "limit")) == pytest.approx(expected, abs=2e-5)
    assert optimum("logistic", 0.0) != pytest.approx(expected, abs=1e-4)


def test_one_party_is_dp_sgd_with_every_record() -> None:
    """AM-ONEPARTY: step eta / (1 + eta rho), and on the sum of gradients 2 C times the multiplier, as REP needs."""
    eta, rho, multiplier, clip = 1.7, 0.4, 1.3, 0.3
    settings = {"schedule": "constant", "initial_step": eta, "rho": rho, "clip": clip, "l1": 0.0}
    one = DpAdmm(rounds=6, parties=1, noise_multiplier=multiplier, **settings).transcript(TABLE, rng=stream(5, "one"))
    draws = []
    for draw in one.draws:
        # noise on w is minus a step times noise on the gradient
        draws.append(Draw(name="batch", kind="poisson-subset", values=np.arange(40)))
        draws.append(Draw(name="gradient", kind="normal", values=-draw.values))
    plain = DpSgd(
        steps=6, rate=1.0, clip=clip, noise_multiplier=2 * multiplier, step_size=eta / (1 + eta * rho), l2=0.0
    ).replay(TABLE, Transcript(result=one.result, iterates=one.iterates, draws=tuple(draws)))
    assert plain.iterates.shape == one.iterates.shape == (7, 4)
    assert plain.iterates == pytest.approx(one.iterates, rel=1e-11, abs=1e-12)
    two = DpAdmm(rounds=6, parties=2, noise_multiplier=multiplier, **settings).transcript(TABLE, rng=stream(5, "one"))
    assert two.iterates != pytest.approx(one.iterates, rel=1e-3)


@pytest.mark.parametrize(
    "algorithm",
    [
        SsAdmm(steps=5),
        SsAdmm(steps=5, model="softmax:2", batch_size=4),
        MpAdmm(epochs=3),
        MpAdmmRepaired(epochs=3, model="softmax:2"),
        StochasticAdmm(steps=5, batch_size=4),
        DpAdmm(rounds=3),
        AdmmObjP(rounds=3),
        AdmmObjP(rounds=3, descent_steps=None),
    ],
)
def test_a_replay_is_the_run(algorithm: Training) -> None:
    table = TABLE
    if "softmax" in algorithm.model:  # type: ignore[attr-defined]  # all have one
        table = Table(features=TABLE.features, labels=(TABLE.labels + 1) / 2)
    whole = algorithm.transcript(table, rng=stream(1, "replay"))
    again = algorithm.replay(table, whole)
    assert np.array_equal(whole.iterates, again.iterates)
    assert np.array_equal(whole.result, again.result)
    assert np.array_equal(algorithm.train(table, rng=stream(1, "replay")), whole.result)
    out = algorithm.sample(table, 2, rng=stream(1, "replay"))
    assert out[0] == pytest.approx(whole.result, rel=1e-11, abs=1e-13)
    assert not np.array_equal(out[0], out[1])


@pytest.mark.parametrize(
    ("kind", "bad"),
    [
        (SsAdmm, {"rho": 0.0}),
        (SsAdmm, {"l1": -1.0}),
        (SsAdmm, {"initial_step": 0.0}),
        (SsAdmm, {"schedule": "linear"}),
        (SsAdmm, {"clip": 0.0}),
        (SsAdmm, {"clip": math.inf}),
        (SsAdmm, {"sigma": -0.1}),
        (SsAdmm, {"sigma": math.nan}),
        (SsAdmm, {"batch_size": 0}),
        (SsAdmm, {"steps": 0}),
        (SsAdmm, {"output": "best"}),
        (SsAdmm, {"model": "nothing"}),
        (MpAdmm, {"epochs": 0}),
        (MpAdmm, {"clip": math.inf}),
        (MpAdmm, {"sigma": -1.0}),
        (StochasticAdmm, {"constraint": "tree"}),
        (StochasticAdmm, {"batch_size": -1}),
        (DpAdmm, {"parties": 0}),
        (DpAdmm, {"noise_multiplier": -1.0}),
        (DpAdmm, {"clip": math.inf}),
        (AdmmObjP, {"model": "hinge"}),
        (AdmmObjP, {"model": "squared"}),
        (AdmmObjP, {"epsilon": 0.0}),
        (AdmmObjP, {"descent_steps": 0}),
        (AdmmObjP, {"tolerance": 0.0}),
        (AdmmObjP, {"iterations": 0}),
    ],
)
def test_bad_hyper_parameters(kind: type, bad: dict[str, object]) -> None:
    with pytest.raises(InputError):
        kind(**bad)


def test_bad_data() -> None:
    with pytest.raises(InputError, match="records for 3 parties"):
        DpAdmm(parties=3).train(TABLE.take(np.arange(2)), rng=stream(0, "bad"))
    long = Table(features=3.0 * TABLE.features, labels=TABLE.labels)
    with pytest.raises(InputError, match="norm"):
        AdmmObjP().train(long, rng=stream(0, "bad"))
    whole = MpAdmm(epochs=1, clip=0.1).transcript(long, rng=stream(0, "bad"))  # others clip instead
    assert np.linalg.norm(whole.perturbed[0].clean) <= 0.1 * 1.0 / (1 + 0.5) * (1 + 1e-12)
