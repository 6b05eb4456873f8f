"""Two worlds, the same draws: every lemma that RSGD's sensitivity rests on, and the places where it breaks.

A run is replayed on a table with one record replaced; the ends before the noise are compared with Delta at the place
that the record has in the run's order.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.loss_constants import constants
from reference_impls.models.model import find_model
from reference_impls.optimizers.nsgd import Nsgd
from reference_impls.optimizers.nsgd_repaired import NsgdRepaired
from reference_impls.optimizers.rsgd_ar import RsgdAr
from reference_impls.optimizers.rsgd_ar_repaired import RsgdArRepaired

MODELS = ("logistic", "huber-svm", "huber-svm:2.0", "softmax:2")
SEEDS = st.integers(0, 2**32)
ROUNDING = 1e-9


def records(seed: int, rows: int, *, model: str = "logistic", columns: int = 2) -> Table:
    """Rows on the unit sphere (the worst), labels of the model's."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns))
    y = rng.choice([0.0, 1.0] if "softmax" in model else [-1.0, 1.0], rows)
    return Table(features=x / np.linalg.norm(x, axis=1)[:, None], labels=y).normalised()


def replaced(table: Table, index: int, seed: int, *, model: str) -> Table:
    """Another record of the same kind: as often the opposite one, which pulls hardest."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=table.columns)
    row = -table.features[index] if rng.random() < 0.5 else x / np.linalg.norm(x) * (1 - 1e-12)
    return table.replaced(index, row, float(rng.choice(np.unique(table.labels))))


@given(st.sampled_from(MODELS), SEEDS, st.floats(0.01, 30.0), st.floats(0.0, 20.0), st.integers(1, 6))
def test_lemma_2(model: str, seed: int, step: float, size: float, rows: int) -> None:
    """RS-LEMMA: contraction on one batch, expansion on two, at eta up to ten times 2 / L and weights far away, where
    the regularised gradients are beyond any R (RS-COND): the R of the loss alone is enough."""
    own = find_model(model)
    algorithm = Nsgd(model=model, l2=0.1)
    found = constants(own, l2=0.1)
    rho = max(abs(1 - step * 0.1), abs(1 - step * found.smoothness))
    table = records(seed, rows, model=model)
    other = replaced(table, 0, seed + 1, model=model)
    rng = np.random.default_rng(seed)
    w, v = size * rng.normal(size=(2, own.dimension(2)))
    if rng.random() < 0.5:
        v = w + 1e-3 * v
    batch = np.arange(rows)
    one, same, changed = (
        algorithm.stepped(w, step, own, table, batch),
        algorithm.stepped(v, step, own, table, batch),
        algorithm.stepped(v, step, own, other, batch),
    )
    apart = float(np.linalg.norm(w - v))
    slack = ROUNDING * (1 + step) * (1 + float(np.linalg.norm(w)))
    assert np.linalg.norm(one - same) <= rho * apart + slack
    assert np.linalg.norm(one - changed) <= rho * apart + 2 * step * constants(own).lipschitz / rows + slack


def test_conditions_3_and_4_do_not_hold_together() -> None:
    """RS-COND: a regularised record's gradient passes any R; the difference of two records' does not."""
    table = records(0, 2)
    model = find_model("logistic")
    far = 1e4 * table.features[0]
    gradients = [model.gradient(far, table, np.array([i])) + 0.1 * far for i in (0, 1)]
    assert math.isinf(constants(model, l2=0.1).lipschitz)
    assert np.linalg.norm(gradients[0]) > 900
    assert np.linalg.norm(gradients[0] - gradients[1]) <= 2 * constants(model).lipschitz + 1e-9


def moved(algorithm: RsgdAr | Nsgd, table: Table, other: Table, index: int, seed: int) -> tuple[float, int]:
    """How far the end moves, and the batch that the record is in."""
    whole = algorithm.transcript(table, rng=stream(seed, "worlds"))
    again = algorithm.replay(other, whole)
    distance = np.linalg.norm(whole.perturbed[-1].clean - again.perturbed[-1].clean)
    orders = [draw.values for draw in whole.draws if draw.name == "batch"]
    place = int(np.flatnonzero(orders[0] == index)[0]) if orders else index
    return float(distance), place // algorithm.batch_size


@given(
    st.sampled_from(MODELS),
    st.sampled_from([("restart", "averaged"), ("epoch", "averaged"), ("epoch", "printed")]),
    SEEDS,
    st.floats(0.05, 20.0),
    st.integers(1, 5),
    st.integers(1, 3),
)
def test_no_end_moves_more_than_delta_at_its_place(
    model: str, texts: tuple[str, str], seed: int, step: float, epochs: int, interval: int
) -> None:
    """RS-DELTA and RS-AVG, equal batches: both texts' schedules under the averaged recursion, and Algorithm 2 to the
    letter for a run that never averages. Steps up to ten times 2 / L."""
    schedule, accounting = texts
    algorithm = RsgdAr(
        model=model,
        epochs=epochs,
        batch_size=3,
        initial_step=step,
        l2=0.05,
        schedule=schedule,
        interval=interval if accounting == "averaged" else epochs + 1,
        accounting=accounting,
        sigma=1.0,
    )
    table = records(seed, 9, model=model)
    index = seed % 9
    distance, place = moved(algorithm, table, replaced(table, index, seed + 1, model=model), index, seed)
    assert distance <= algorithm.sensitivities(9)[place] * (1 + ROUNDING) + 1e-12


FLAT = {"model": "huber-svm", "initial_step": 0.05, "l2": 0.1, "batch_size": 3, "sigma": 1.0}
"""Margins stay below 1 - h-bar: slopes are -y, gradients have norm R = 1, and every step contracts by 1 - eta mu."""


@pytest.mark.parametrize("schedule", ["restart", "epoch"])
@pytest.mark.parametrize("interval", [2, 9])
def test_delta_is_attained_at_every_place(schedule: str, interval: int) -> None:
    """Opposite records where the loss is linear: the recursion is exact, averaged or not, at each of four places."""
    algorithm = RsgdAr(**FLAT, epochs=5, interval=interval, schedule=schedule)
    table = records(1, 12)
    places = set()
    for index in range(12):
        other = table.replaced(index, -table.features[index], float(table.labels[index]))
        distance, place = moved(algorithm, table, other, index, 7)
        assert distance == pytest.approx(algorithm.sensitivities(12)[place], rel=1e-9)
        places.add(place)
    assert places == {0, 1, 2, 3}


def test_algorithm_2_to_the_letter_is_too_small_for_algorithm_3() -> None:
    """RS-AVG: a record in the first batch, after 30 restarts: eta_0 / s forgets the steps that the run takes."""
    algorithm = RsgdAr(**FLAT, epochs=30, interval=1)
    table = records(1, 12)
    index = int(algorithm.transcript(table, rng=stream(7, "worlds")).draws[0].values[0])
    other = table.replaced(index, -table.features[index], float(table.labels[index]))
    distance, place = moved(algorithm, table, other, index, 7)
    assert place == 0
    assert distance > 6 * replace(algorithm, accounting="printed").sensitivities(12)[0]
    assert distance <= algorithm.sensitivities(12)[0]


@pytest.mark.parametrize(("published", "repaired"), [(RsgdAr, RsgdArRepaired), (Nsgd, NsgdRepaired)])
def test_a_short_last_batch_moves_more_than_published(published: type, repaired: type) -> None:
    """n = 10, |B| = 3: the last batch is one record, whose gradient is not divided by three."""
    table = records(1, 10)
    steps = {**FLAT, "epochs": 3}
    worst = 0.0
    for index in range(10):
        other = table.replaced(index, -table.features[index], float(table.labels[index]))
        distance, place = moved(published(**steps), table, other, index, 7)
        assert distance <= repaired(**steps).sensitivities(10)[place] * (1 + ROUNDING)
        worst = max(worst, distance / published(**steps).sensitivities(10)[place])
    assert worst == pytest.approx(3.0, rel=0.01)


@given(SEEDS, st.floats(0.05, 20.0), st.integers(1, 4), st.sampled_from(["epoch", "fixed"]), st.integers(1, 11))
def test_the_repaired_accounts_hold_for_any_batch_size(
    seed: int, step: float, epochs: int, schedule: str, batch_size: int
) -> None:
    table = records(seed, 11)
    index = seed % 11
    other = replaced(table, index, seed + 1, model="logistic")
    chosen = {"epochs": epochs, "initial_step": step, "batch_size": batch_size, "schedule": schedule, "sigma": 1.0}
    for algorithm in (NsgdRepaired(**chosen), RsgdArRepaired(**chosen, interval=2)):
        distance, place = moved(algorithm, table, other, index, seed)
        assert distance <= algorithm.sensitivities(11)[place] * (1 + ROUNDING) + 1e-12
        assert distance <= algorithm.sensitivity(11) * (1 + ROUNDING) + 1e-12


def test_the_first_batch_can_be_the_worst() -> None:
    """RS-LAST: 200 balanced records at w = 0, where the logistic loss has curvature L = 1/4; eta_0 = 24, so a step
    multiplies by 5. A record in the first of four batches moves the end nearly five times as far as NSGD allows for."""
    table = Table(features=np.ones((200, 1)), labels=np.tile([1.0, -1.0], 100))
    chosen = {"initial_step": 24.0, "epochs": 1, "batch_size": 50, "sigma": 1.0}
    distance, place = moved(Nsgd(**chosen), table, table.replaced(0, np.array([1.0]), -1.0), 0, 0)
    assert place == 0
    assert distance > 4.5 * Nsgd(**chosen).sensitivity(200)
    assert distance <= NsgdRepaired(**chosen).sensitivity(200)
