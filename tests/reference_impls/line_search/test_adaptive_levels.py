"""The gradient release: its sensitivity, its scale, and what the transcript says of both."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.line_search.adaptive_levels import Levels, release_gradient
from reference_impls.models.model import find_model

NUMBERS = st.floats(-1e3, 1e3)


@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS, st.sampled_from([-1.0, 1.0])), min_size=1, max_size=5),
    weights=st.tuples(NUMBERS, NUMBERS),
    c_grad=st.floats(1e-3, 1e3),
    loss=st.sampled_from(["logistic", "huber-svm", "hinge"]),
)
def test_one_record_moves_the_sum_by_at_most_the_clip(
    rows: list[tuple[float, float, float]], weights: tuple[float, float], c_grad: float, loss: str
) -> None:
    """BL-SENS-GRAD on the tape: divided by one divisor, C_grad over it."""
    array = np.array(rows)
    table = Table(features=array[:, :2], labels=array[:, 2])
    levels = Levels(rho_grad=1.0, budget_bt=1.0, c_grad=c_grad, c_obj=1.0)
    released = []
    for batch in (np.arange(len(rows)), np.arange(len(rows) - 1)):
        tape = Tape.recording(stream(0, "levels"))
        release_gradient(tape, find_model(loss), table, batch, np.array(weights), levels, divisor=7.0)
        released.append(tape.transcript(0.0).perturbed[0])
    moved = float(np.linalg.norm(released[0].clean - released[1].clean))
    assert moved <= released[0].sensitivity * (1 + 1e-12) + 1e-13 * float(np.abs(released[0].clean).max())
    assert released[0].sensitivity == pytest.approx(c_grad / 7.0)


def test_the_bound_is_attained(small: Table) -> None:
    """A record whose gradient is longer than the clip moves the sum by the whole of it."""
    model, weights, levels = find_model("hinge"), np.zeros(3), Levels(rho_grad=1, budget_bt=1, c_grad=0.01, c_obj=1)
    tapes = [Tape.recording(stream(0, "levels")) for _ in range(2)]
    for tape, batch in zip(tapes, (np.array([3]), np.array([], dtype=np.int64)), strict=True):
        release_gradient(tape, model, small, batch, weights, levels, divisor=1.0)
    first, second = (tape.transcript(0.0).perturbed[0].clean for tape in tapes)
    assert np.linalg.norm(first - second) == pytest.approx(0.01, rel=1e-12)


def test_scale_and_release(small: Table) -> None:
    levels = Levels(rho_grad=0.02, budget_bt=1.0, c_grad=3.0, c_obj=1.0)
    tape, weights = Tape.recording(stream(1, "levels")), np.array([0.5, -1.0, 2.0])
    out = release_gradient(tape, find_model("logistic"), small, None, weights, levels, divisor=30.0, l2=0.1)
    transcript = tape.transcript(out)
    entry = transcript.perturbed[0]
    assert entry.scale == pytest.approx(3.0 / math.sqrt(0.04) / 30.0)
    assert entry.noise == pytest.approx(entry.scale * transcript.draws[0].values, rel=1e-15)
    assert out == pytest.approx(entry.clean + entry.noise + 0.1 * weights, rel=1e-15)
    assert transcript.public["clip"].tolist() == [[3.0, 1.0]]
    assert transcript.public["gradient-budget"].tolist() == [0.02]


def test_equation_9_lowers_both_thresholds() -> None:
    after = Levels(rho_grad=1.0, budget_bt=2.0, c_grad=3.0, c_obj=1.0).lowered(0.05)
    assert (after.c_grad, after.c_obj, after.rho_grad, after.budget_bt) == pytest.approx((2.85, 0.95, 1.0, 2.0))
