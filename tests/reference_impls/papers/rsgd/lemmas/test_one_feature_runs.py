"""Records of one feature in balls: the algorithms' own runs, the texts' indices as naive twins, narrow balls."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.laws.balls import working_precision
from dpverify.sampling.streams import stream
from reference_impls.optimizers.nsgd import Nsgd
from reference_impls.optimizers.rsgd_ar import RsgdAr
from reference_impls.optimizers.rsgd_sensitivity import sensitivities
from reference_impls.papers.rsgd.lemmas.one_feature_runs import FOLDS, LARGE_FOLDS, OneFeatureRuns, slope_ball

LINES = st.builds(
    OneFeatureRuns,
    rows=st.integers(1, 40),
    batch=st.integers(1, 12),
    epochs=st.integers(1, 8),
    interval=st.integers(0, 4),
    schedule=st.sampled_from(["epoch", "restart", "fixed"]),
    text=st.sampled_from(["RSGD", "DISS"]),
    initial_step=st.floats(0.01, 6.0),
    l2=st.floats(1e-4, 0.5),
    place=st.floats(0.0, 1.0),
    own=st.floats(-1.0, 1.0),
    rest=st.floats(-1.0, 1.0),
    opposed=st.floats(0.0, 1.0),
)


def margins(line: OneFeatureRuns, record: float) -> np.ndarray:
    """The data set in the order in which it is read."""
    parts = []
    for j, size in enumerate(line.sizes):
        turned = int(line.opposed * size + 0.5)
        rest = np.r_[np.full(size - turned, line.rest), np.full(turned, -line.rest)]
        parts.append(np.r_[record, np.full(size - 1, line.own)] if j == line.index else rest)
    return np.concatenate(parts)


def slope(margin: np.ndarray) -> np.ndarray:
    """phi' of (3.12), case by case."""
    return np.where(margin > 1.5, 0.0, np.where(margin < 0.5, -1.0, -(1.5 - margin)))


def literal(line: OneFeatureRuns, record: float) -> float:
    """Algorithm 3 (RSGD) or 3.3 (DISS), line by line, with the texts' own t; RSGD's gap holds the mean."""
    z, w, t = margins(line, record), {0: 0.0}, 0
    cuts = np.cumsum((0, *line.sizes))
    m, tau = len(line.sizes), line.interval
    for s, eta in enumerate(line.steps, start=1):
        for j in range(m):
            t += 1
            batch = z[cuts[j] : cuts[j + 1]]
            w[t] = w[t - 1] - eta * (np.mean(batch * slope(batch * w[t - 1])) + line.l2 * w[t - 1])
        if tau and s % tau == 0 and line.text == "RSGD":
            w[t] = sum(w[t - k] for k in range(m * tau)) / (m * tau)
            t += 1
            w[t] = w[t - 1]
        elif tau and s % tau == 0:
            t += 1
            w[t] = sum(w[t - k] for k in range(1, m * tau + 1)) / (m * tau)
    return float(w[t])


def test_the_slope_is_that_of_the_huberised_hinge() -> None:
    for margin in (-3.0, 0.0, 0.5, 0.51, 1.0, 1.49, 1.5, 2.0):
        assert float(slope_ball(_ball(margin)).mid()) == pytest.approx(float(slope(np.array(margin))), abs=1e-15)


def _ball(number: float):  # flint has no stubs
    import flint

    return flint.arb(number)


@given(LINES, st.sampled_from([1, -1]))
def test_balls_hold_the_texts_own_loops(line: OneFeatureRuns, record: int) -> None:
    with working_precision():
        end = line.end_ball(record, line.index)
    assert float(end.rad()) < 1e-12 * (1.0 + abs(float(end.mid())))
    growth = (1.0 + line.initial_step) ** min(line.epochs * len(line.sizes), 12)
    assert float(end.mid()) == pytest.approx(literal(line, record), rel=1e-9, abs=1e-12 * growth)


@settings(deadline=None, max_examples=30)
@given(LINES, st.sampled_from([1, -1]))
def test_without_averaging_it_is_nsgd(line: OneFeatureRuns, record: int) -> None:
    if line.interval and line.schedule == "restart":
        return
    z = margins(line, record)
    algorithm = Nsgd(
        model="huber-svm",
        epochs=line.epochs,
        batch_size=line.batch,
        initial_step=line.initial_step,
        l2=line.l2,
        schedule=line.schedule,
        sigma=1.0,
    )
    plain = _with(line, interval=0)
    with working_precision():
        end = float(plain.end_ball(record, plain.index).mid())
    found = float(algorithm.query(Table(features=z[:, None], labels=np.ones(z.size)))[0])
    growth = (1.0 + line.initial_step) ** min(line.epochs * len(line.sizes), 12)
    assert found == pytest.approx(end, rel=1e-9, abs=1e-12 * growth)


def _with(line: OneFeatureRuns, **changes: float) -> OneFeatureRuns:
    from dataclasses import replace

    return replace(line, **changes)


@pytest.mark.parametrize("schedule", ["restart", "epoch"])
def test_with_averaging_it_is_rsgd_ar(schedule: str) -> None:
    """All records but the first are equal, so only that one's place in the drawn order matters."""
    z = np.full(11, 0.7)
    z[0] = -1.0
    table = Table(features=z[:, None], labels=np.ones(11))
    algorithm = RsgdAr(
        model="huber-svm", epochs=6, interval=2, batch_size=4, initial_step=1.5, l2=0.01, schedule=schedule, sigma=1.0
    )
    for draw in range(6):
        whole = algorithm.transcript(table, rng=stream(draw, "line"))
        (order,) = [each.values for each in whole.draws if each.name == "batch"]
        place = int(np.flatnonzero(order == 0)[0]) // 4
        line = OneFeatureRuns(rows=11, batch=4, epochs=6, interval=2, schedule=schedule, initial_step=1.5, l2=0.01)
        line = _with(line, own=0.7, rest=0.7)
        with working_precision():
            end = float(line.end_ball(-1, place).mid())
        assert float(whole.perturbed[-1].clean[0]) == pytest.approx(end, rel=1e-12)


@given(LINES)
def test_the_recursion_in_balls_is_that_of_the_algorithms(line: OneFeatureRuns) -> None:
    expected = sensitivities(
        line.steps,
        line.sizes,
        lipschitz=1.0,
        smoothness=1.0 + line.l2,
        strong_convexity=line.l2,
        interval=line.interval or None,
    )
    with working_precision():
        balls = [
            float(line.recursion_ball(j, line.steps, line.sizes, line.interval).mid()) for j in range(len(line.sizes))
        ]
    assert balls == pytest.approx(expected, rel=1e-9)


def test_records_that_are_zero_attain_lemma_2_where_w_stays_small() -> None:
    line = OneFeatureRuns(epochs=5)
    with working_precision():
        bound = float(line.recursion_ball(line.index, line.steps, line.sizes, 0).mid())
    assert line.moved().value == pytest.approx(bound, rel=1e-14)


def test_the_folds_are_four_fifths_of_the_papers_data() -> None:
    whole = {"Adult": 48842, "BANK": 45211, "IPUMS-US": 40000, "IPUMS-BR": 38000}
    assert {name: count * 4 // 5 for name, count in whole.items()} == FOLDS
    assert LARGE_FOLDS == {"KDDCup99": 4898431 * 4 // 5}
    assert OneFeatureRuns(rows=FOLDS["BANK"]).sizes == (4000,) * 9 + (168,)
    even, merged = (OneFeatureRuns(rows=FOLDS["BANK"], split=split) for split in ("even", "merged"))
    assert even.sizes == (3617,) * 8 + (3616,) * 2
    assert merged.sizes == (4000,) * 8 + (4168,)
    assert (OneFeatureRuns(rows=FOLDS["BANK"]).nominal, even.nominal, merged.nominal) == (4000, 3617, 4000)


@pytest.mark.parametrize("split", ["rest", "even", "merged"])
@pytest.mark.parametrize("rows", [1, 3, 4, 8, 9, 11])
def test_every_record_is_in_one_batch(split: str, rows: int) -> None:
    line = OneFeatureRuns(rows=rows, batch=4, split=split)
    assert sum(line.sizes) == rows
    assert min(line.sizes) >= 1
    assert rows % 4 or set(line.sizes) == {4}


@pytest.mark.parametrize(
    "wrong",
    [
        {"schedule": "monthly"},
        {"split": "by hand"},
        {"text": "other"},
        {"own": 1.5},
        {"place": -0.1},
        {"rows": 0},
        {"initial_step": 0.0},
    ],
)
def test_bad_numbers_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        OneFeatureRuns(**wrong)
