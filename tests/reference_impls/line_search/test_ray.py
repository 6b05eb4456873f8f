"""The public ray."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.datasets.dataset import load_table
from reference_impls.line_search.ray import GRADIENT_CLIP, STEP, descent
from reference_impls.models.margin import clipped_gradient, clipped_objective, margin_model, margins


@pytest.mark.parametrize("loss", ["logistic", "huber-svm"])
def test_it_is_plain_gradient_descent(loss: str) -> None:
    table, model = load_table("breast-cancer"), margin_model(loss)
    weights = np.zeros(table.columns)
    for iterate in range(4):
        ray = descent(table, loss, iterate)
        assert ray.weights == pytest.approx(weights, abs=1e-14)
        gradient = clipped_gradient(model, table, weights, GRADIENT_CLIP) / table.rows
        assert ray.direction == pytest.approx(gradient, abs=1e-14)
        weights = weights - STEP * gradient


@pytest.mark.parametrize("loss", ["logistic", "huber-svm"])
def test_it_goes_down(loss: str) -> None:
    table, model = load_table("breast-cancer"), margin_model(loss)
    sums = [
        clipped_objective(model, margins(table, descent(table, loss, iterate).weights), math.inf)[0]
        for iterate in range(6)
    ]
    assert sums == sorted(sums, reverse=True)


def test_it_is_remembered_and_read_only() -> None:
    table = load_table("breast-cancer")
    ray = descent(table, "logistic", 2)
    assert descent(table, "logistic", 2) is ray
    with pytest.raises(ValueError, match="read-only"):
        ray.weights[0] = 1.0
