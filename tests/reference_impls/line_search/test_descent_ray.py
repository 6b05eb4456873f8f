"""The public ray."""

from __future__ import annotations

import math

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from dpverify.datasets.dataset import load_table
from dpverify.datasets.table import Table
from reference_impls.line_search.descent_ray import GRADIENT_CLIP, STEP, descent
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


@pytest.mark.parametrize("loss", ["logistic", "huber-svm"])
def test_its_bits_do_not_depend_on_the_threads_of_blas(loss: str) -> None:
    """A ray is remembered, so what another number of threads had made of it would show in every later audit."""
    rng = np.random.default_rng(0)
    features, labels = rng.random((50_000, 124)), rng.choice([-1.0, 1.0], 50_000)  # small products stay on one thread
    rays = []
    for threads in (1, 2, 3):
        table = Table(features=features, labels=labels)  # rays are remembered by the table's identity
        with threadpool_limits(limits=threads):
            rays.append(descent(table, loss, 2))
    for ray in rays[1:]:
        assert np.array_equal(ray.weights, rays[0].weights)
        assert np.array_equal(ray.direction, rays[0].direction)
