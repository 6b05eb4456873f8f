"""AM-SENS-*: how far x, z and y of one epoch move when a record is replaced; (4.13) derived again from (4.8)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.admm.mp_admm_repaired import MpAdmmRepaired
from reference_impls.admm.sensitivities import derived_primal, joint, printed_primal
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.admm.updates import dual, primal, split

SEEDS = st.integers(0, 2**32)
ETAS, RHOS = st.floats(1e-3, 10.0), st.floats(0.01, 10.0)
L1S = st.sampled_from([0.0, 1e-4, 1e-2, 1.0, 30.0])
HAIR = 1 + 1e-9


def pair(seed: int, rows: int, length: float) -> tuple[Table, Table]:
    """Rows of any length up to `length`; the last is replaced, as often by its opposite."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    x *= (length * rng.uniform(size=rows) / np.linalg.norm(x, axis=1))[:, None]
    table = Table(features=x, labels=rng.choice([-1.0, 1.0], rows))
    new = -x[-1] if rng.random() < 0.5 else length * np.array([0.6, 0.0, 0.8])
    return table, table.replaced(rows - 1, new, float(table.labels[-1]))


@given(SEEDS, ETAS, RHOS, L1S, st.integers(1, 6), st.sampled_from(["logistic", "huber-svm", "hinge", "squared"]))
def test_no_epoch_from_any_state_moves_more_than_derived(
    seed: int, eta: float, rho: float, l1: float, rows: int, loss: str
) -> None:
    """x, z and y by Delta(x), Delta(x) and rho Delta(x), and all three together by less than the sum; any clip."""
    rng = np.random.default_rng(seed + 1)
    clip = float(rng.uniform(0.1, 2.0))
    x, y, z = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-2, 1)
    model = MpAdmm(model=loss).prepared(pair(seed, rows, 3.0)[0])[0]
    ends = []
    for table in pair(seed, rows, 3.0):
        new_x = primal(model.gradient(x, table, clip=clip) / rows, x, y, z, eta, rho)
        new_z = split(new_x, y, rho, l1)
        ends.append((new_x, new_z, dual(y, new_x, new_z, rho)))
    dx, dz, dy = (first - second for first, second in zip(*ends, strict=True))
    bound = derived_primal(eta, rho, clip, rows)
    slack = 1e-13 * (1 + rho) * (1 + np.abs(x).max() + (np.abs(y).max() + clip) / rho)
    assert np.linalg.norm(dx) <= bound * HAIR + slack
    assert np.linalg.norm(dz) <= np.linalg.norm(dx) + slack
    assert np.linalg.norm(dy) <= rho * np.linalg.norm(dx) + slack
    together = float(np.linalg.norm([dx, dz, dy]))
    assert together <= joint(float(np.linalg.norm(dx)), rho) * HAIR + 3 * slack


def opposite(rows: int = 5) -> tuple[Table, Table]:
    """Records whose Huberised-SVM gradients at zero have norm 1 and point against each other."""
    table = Table(features=np.tile([0.6, 0.8], (rows, 1)), labels=np.ones(rows))
    return table, table.replaced(rows - 1, np.array([-0.6, -0.8]), 1.0)


@pytest.mark.parametrize("eta", [1e-3, 0.3, 1.0, 4.0, 10.0])
@pytest.mark.parametrize("rho", [0.01, 0.5, 10.0])
@pytest.mark.parametrize("l1", [0.0, 1e3])
def test_the_derived_bounds_are_attained_and_the_printed_ones_are_off_by_eta(eta: float, rho: float, l1: float) -> None:
    """AM-SENS-X, by a run and its replay: without l1 z takes all that x does, with a large one y does."""
    table, other = opposite()
    algorithm = MpAdmm(model="huber-svm", epochs=1, initial_step=eta, rho=rho, l1=l1, sigma=1.0)
    whole = algorithm.transcript(table, rng=stream(0, "epoch"))
    again = algorithm.replay(other, whole)
    moved = {
        a.name: float(np.linalg.norm(a.clean - b.clean)) for a, b in zip(whole.perturbed, again.perturbed, strict=True)
    }
    bound = derived_primal(eta, rho, 1.0, 5)
    assert moved["x"] == pytest.approx(bound, rel=1e-9)
    assert moved["z"] == pytest.approx(0.0 if l1 else bound, rel=1e-9, abs=1e-15)
    assert moved["y"] == pytest.approx(rho * bound if l1 else 0.0, rel=1e-9, abs=1e-15)
    assert moved["x"] / printed_primal(eta, rho, 1.0, 5) == pytest.approx(eta, rel=1e-9)
    believed = {each.name: each.sensitivity for each in whole.perturbed}
    assert (max(moved[name] / believed[name] for name in "xyz") > HAIR) == (eta > 1)
    repaired = MpAdmmRepaired(model="huber-svm", epochs=1, initial_step=eta, rho=rho, l1=l1, sigma=1.0)
    truth = {each.name: each.sensitivity for each in repaired.transcript(table, rng=stream(0, "epoch")).perturbed}
    assert all(moved[name] <= truth[name] * HAIR for name in "xyz")
    if (l1 == 0.0) == (rho <= 1.0):
        assert math.hypot(*moved.values()) == pytest.approx(joint(bound, rho), rel=1e-9)


def test_the_printed_bound_reads_the_next_learning_rate() -> None:
    rates = {"schedule": "root", "initial_step": 0.8, "epochs": 3, "clip": 0.7}
    etas = [0.8 / math.sqrt(k) for k in (1, 2, 3, 4)]
    expected = [2 * 0.7 / (10 * (1 + 0.5 * eta)) for eta in etas[1:]]
    assert MpAdmm(**rates).sensitivities(10) == pytest.approx(expected, rel=1e-14)
    expected = [2 * 0.7 * eta / (10 * (1 + 0.5 * eta)) for eta in etas[:3]]
    assert MpAdmmRepaired(**rates).sensitivities(10) == pytest.approx(expected, rel=1e-14)


@given(SEEDS, st.integers(1, 8), st.floats(0.1, 2.0), st.sampled_from(["logistic", "huber-svm", "squared"]))
def test_a_batch_gradient_moves_by_no_more_than_2_c_over_m(seed: int, size: int, clip: float, loss: str) -> None:
    """AM-SENS-G, from the first step of a run and its replay; the batch may be larger than the data."""
    table, other = pair(seed, 6, 3.0)
    algorithm = SsAdmm(model=loss, steps=1, batch_size=size, clip=clip, sigma=1.0)
    whole = algorithm.transcript(table, rng=stream(seed, "batch"))
    moved = np.linalg.norm(whole.perturbed[0].clean - algorithm.replay(other, whole).perturbed[0].clean)
    assert moved <= 2 * clip / size * HAIR
    assert whole.perturbed[0].sensitivity == 2 * clip / size
    if 5 not in whole.draws[0].values:
        assert moved == 0


def test_two_c_over_m_is_attained() -> None:
    table, other = opposite(rows=4)
    algorithm = SsAdmm(model="huber-svm", steps=1, batch_size=4, sigma=1.0)
    whole = algorithm.transcript(table, rng=stream(0, "batch"))
    moved = np.linalg.norm(whole.perturbed[0].clean - algorithm.replay(other, whole).perturbed[0].clean)
    assert moved == pytest.approx(algorithm.sensitivity(4), rel=1e-12)
