"""How far one step takes two runs apart when gradients are bounded: drawn losses, the case that attains it, faults."""

from __future__ import annotations

import dataclasses

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.laws.balls import working_precision
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace, grown_ball


def grown(distance: float, eta: float, mu: float) -> float:
    with working_precision():
        return float(grown_ball(flint.arb(distance), flint.arb(eta), flint.arb(mu)).mid())


def apart(first: np.ndarray, second: np.ndarray, records: np.ndarray, eta: float, mu: float) -> float:
    """After a step on Huber's loss of x w, records of norm 1: slopes between -1 and 1, L' = 1."""
    ends = []
    for w in (first, second):
        slopes = np.clip(records @ w, -1.0, 1.0)
        ends.append(w - eta * (slopes @ records / len(records) + mu * w))
    return float(np.linalg.norm(ends[0] - ends[1]))


@given(st.integers(0, 10**6), st.floats(0.1, 12.0), st.floats(0.0, 0.2), st.floats(1e-3, 30.0))
def test_no_step_grows_more(draw: int, eta: float, mu: float, distance: float) -> None:
    rng = np.random.default_rng(draw)
    dimension, count = rng.integers(1, 4), rng.integers(1, 5)
    records = rng.normal(size=(count, dimension))
    records /= np.linalg.norm(records, axis=1, keepdims=True)
    middle, way = rng.normal(size=dimension) * rng.choice([0.0, 0.5, 2.0]), rng.normal(size=dimension)
    half = way / np.linalg.norm(way) * distance / 2.0
    assert apart(middle + half, middle - half, records, eta, mu) <= grown(distance, eta, mu) * (1.0 + 1e-12)


@pytest.mark.parametrize("eta", [2.5, 4.0, 9.0])
def test_huber_loss_attains_the_cap(eta: float) -> None:
    """Slopes of clip(w, -1, 1) at 1 and -1: as far apart as 2 R, and as steep as L' = 1."""
    ends = [w - eta * (np.clip(w, -1.0, 1.0) + 0.01 * w) for w in (1.0, -1.0)]
    assert abs(ends[0] - ends[1]) == pytest.approx(grown(2.0, eta, 0.01), rel=1e-12)


def test_small_distances_and_steps_are_lemma_2s() -> None:
    assert grown(1e-3, 5.0, 0.01) == pytest.approx((5.0 * 1.01 - 1.0) * 1e-3, rel=1e-12)  # rho = eta L - 1
    assert grown(7.0, 1.5, 0.01) == pytest.approx((1.0 - 0.015) * 7.0, rel=1e-12)  # rho = 1 - eta mu
    assert grown(7.0, 150.0, 0.01) == pytest.approx((150.0 * 1.01 - 1.0) * 7.0, rel=1e-12)  # 1 - eta mu < 0


def test_the_capped_delta_never_exceeds_the_printed() -> None:
    for step in (0.5, 1.9, 2.5, 6.0, 10.0):
        row = LastPlace(initial_step=step, epochs=5, batches=6, taken="largest")
        plain, capped = row.printed().value, dataclasses.replace(row, taken="capped").printed().value
        assert capped <= plain * (1.0 + 1e-12)
        assert (capped == pytest.approx(plain, rel=1e-12)) is (step < 2.0 or plain < 1.0)
