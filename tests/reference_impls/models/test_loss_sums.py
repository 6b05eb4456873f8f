"""Clipped sums of losses: exact to a unit in the last place, and moved by one record by at most the bound."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.datasets.dataset import load_table
from dpverify.datasets.table import Table
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.models.loss_sums import clipped_sum, summed_loss
from reference_impls.models.model import find_model

ANY = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.floats(-1e6, 1e6), max_size=50), st.floats(-1e3, 1e6))
def test_the_sum_is_rounded_once(values: list[float], clip: float) -> None:
    total, lost = clipped_sum(np.array(values, dtype=np.float64), clip)
    exact = math.fsum(min(value, clip) for value in values)
    assert abs(total + lost - exact) <= math.ulp(exact) + 1e-30 * sum(map(abs, values))


def test_no_number_counts_as_the_bound() -> None:
    assert sum(clipped_sum(np.array([0.25, math.nan, math.inf]), 1.0)) == 2.25
    table = Table(features=np.ones((1, 2)), labels=np.ones(1))
    hostile = np.array([math.inf, -math.inf])
    for loss in LINEAR_LOSSES:
        assert 0.0 <= summed_loss(find_model(loss), hostile, table, clip=1.0) <= 1.0
    assert summed_loss(find_model("squared"), np.array([1e200, 0.0]), table) == math.inf


def test_a_large_loss_swallows_no_small_ones() -> None:
    """2 (10^8)^2 and a thousand halves: a plain sum drops each of them."""
    table = Table(features=np.ones((1001, 1)), labels=np.array([2e8, *[1.0] * 1000]))
    assert summed_loss(find_model("squared"), np.zeros(1), table) == 2e16 + 500.0


@pytest.mark.parametrize("text", ["logistic", "hinge"])
def test_batches_and_bounds(text: str) -> None:
    table, model = load_table("breast-cancer"), find_model(text)
    weights, batch = np.random.default_rng(0).normal(size=table.columns), np.array([5, 0, 200])
    each = model.losses(weights, table)
    for clip in (0.3, 1.0, math.inf):
        assert summed_loss(model, weights, table, clip=clip) == pytest.approx(
            math.fsum(np.minimum(each, clip)), rel=1e-15
        )
        assert summed_loss(model, weights, table, batch, clip=clip) == math.fsum(np.minimum(each[batch], clip))
    assert summed_loss(model, weights, table, np.empty(0, dtype=np.int64), clip=1.0) == 0.0


@given(
    st.sampled_from(list(LINEAR_LOSSES)),
    st.lists(st.tuples(ANY, ANY), min_size=1, max_size=6),
    st.tuples(ANY, ANY),
    st.floats(1e-3, 1e3),
)
def test_one_record_moves_it_by_at_most_the_bound(loss: str, rows, weights, clip: float) -> None:
    """BL-SENS-OBJ in reading (a), every loss being >= 0: any finite records and weights."""
    table = Table(features=np.array(rows), labels=np.ones(len(rows)))
    model, at = find_model(loss), np.array(weights)
    with np.errstate(over="ignore", invalid="ignore"):
        moved = summed_loss(model, at, table, clip=clip) - summed_loss(model, at, table.without(0), clip=clip)
    assert -4e-16 * len(rows) * clip <= moved <= clip * (1 + 4e-16 * len(rows))
