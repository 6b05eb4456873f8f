"""Clipped objectives and gradients of linear models."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.adult import ADULT
from dpverify.datasets.dataset import load_table
from dpverify.datasets.table import Table
from reference_impls.models.linear_loss import linear_loss, linear_slope
from reference_impls.models.margin import clipped_gradient, clipped_objective, margin_model, margins

NAMES = ["breast-cancer"] + ["adult"] * ADULT.available()
LOSSES = ("logistic", "huber-svm", "huber-svm:0.1", "hinge", "squared")


def naive_objective(loss: str, table: Table, weights: np.ndarray, clip: float) -> float:
    """The clipped sum, exactly rounded."""
    model = margin_model(loss)
    each = [
        linear_loss(model.code, model.h_bar, x @ weights, y) for x, y in zip(table.features, table.labels, strict=True)
    ]
    return math.fsum(min(value, clip) for value in each)


def naive_gradient(loss: str, table: Table, weights: np.ndarray, clip: float) -> np.ndarray:
    """Record by record, as Algorithm 2 line 5 writes it."""
    model, total = margin_model(loss), np.zeros(table.columns)
    for x, y in zip(table.features, table.labels, strict=True):
        gradient = linear_slope(model.code, model.h_bar, x @ weights, y) * x
        total += gradient / max(1.0, float(np.linalg.norm(gradient)) / clip)
    return total


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("clip", [0.4, 1.0, math.inf])
def test_the_objective_agrees_with_the_naive_sum(loss: str, clip: float) -> None:
    table = load_table("breast-cancer")
    weights = np.random.default_rng(0).normal(size=table.columns)
    total, lost = clipped_objective(margin_model(loss), margins(table, weights), clip)
    assert total + lost == pytest.approx(naive_objective(loss, table, weights, clip), rel=1e-15)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("clip", [0.3, 3.0])
def test_the_gradient_agrees_with_the_naive_sum(loss: str, clip: float) -> None:
    table = load_table("breast-cancer")
    weights = np.random.default_rng(1).normal(size=table.columns)
    found = clipped_gradient(margin_model(loss), table, weights, clip)
    assert found == pytest.approx(naive_gradient(loss, table, weights, clip), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("loss", LOSSES)
def test_without_clipping_it_is_the_gradient_of_the_objective(loss: str) -> None:
    """Central differences of the sum: error about 1e-9 of a sum of 569 terms."""
    table, model, step = load_table("breast-cancer"), margin_model(loss), 1e-5
    weights = 0.3 * np.random.default_rng(2).normal(size=table.columns)
    found = clipped_gradient(model, table, weights, 1e9)

    def objective(moved: np.ndarray) -> float:
        total, lost = clipped_objective(model, margins(table, moved), math.inf)
        return total + lost

    for axis in range(0, table.columns, 5):
        move = step * np.eye(table.columns)[axis]
        slope = (objective(weights + move) - objective(weights - move)) / (2 * step)
        assert found[axis] == pytest.approx(slope, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("loss", LOSSES)
def test_one_record_moves_the_gradient_by_at_most_the_clip(name: str, loss: str) -> None:
    table, model = load_table(name), margin_model(loss)
    weights = np.random.default_rng(3).normal(size=table.columns)
    whole = clipped_gradient(model, table, weights, 0.5)
    longest = int(np.argmax(np.einsum("ij,ij->i", table.features, table.features)))
    moved = whole - clipped_gradient(model, table.without(longest), weights, 0.5)
    assert np.linalg.norm(moved) <= 0.5 * (1 + 1e-9)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=40), st.floats(0.01, 5), st.permutations(range(40)))
def test_the_sum_does_not_depend_on_the_order(values: list[float], clip: float, order: list[int]) -> None:
    model, at = margin_model("logistic"), np.array(values)
    shuffled = at[[i for i in order if i < at.size]]
    one, two = clipped_objective(model, at, clip), clipped_objective(model, shuffled, clip)
    assert one[0] + one[1] == pytest.approx(two[0] + two[1], rel=3e-16)


def test_a_large_sum_loses_nothing() -> None:
    """A thousand small terms after a large one: plain summation drops each of them."""
    at = np.concatenate([[-1e16], np.full(1000, 0.5)])
    total, lost = clipped_objective(margin_model("huber-svm"), at, math.inf)
    assert total + lost == 1e16 + 500.0


def test_it_is_the_models_own_gradient() -> None:
    """Another order of the same sums."""
    table = load_table("breast-cancer")
    weights = np.random.default_rng(4).normal(size=table.columns)
    for loss in LOSSES:
        model = margin_model(loss)
        found = clipped_gradient(model, table, weights, 0.4)
        assert model.gradient(weights, table, clip=0.4) == pytest.approx(found, rel=1e-11, abs=1e-11)


def test_models_without_margins_are_refused() -> None:
    with pytest.raises(InputError, match="no model called 'margin'"):
        margin_model("margin")
    with pytest.raises(InputError, match="'softmax:3', which has no margins"):
        margin_model("softmax:3")
    with pytest.raises(InputError, match="labels"):
        margins(Table(features=np.ones((1, 1)), labels=np.array([0.5])), np.ones(1))
