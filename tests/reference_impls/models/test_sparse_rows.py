"""Rows without zeros beside the matrix that they come from."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from dpverify.datasets.table import Table
from reference_impls.models.linear import row_norms
from reference_impls.models.model import find_model
from reference_impls.models.sparse_rows import add_sparse_gradient, sparse_rows, sparse_scores

RNG = np.random.default_rng(3)


def table(density: float) -> Table:
    kept = RNG.random((50, 7)) < density
    return Table(features=RNG.normal(size=(50, 7)) * kept, labels=RNG.choice([-1.0, 1.0], 50))


@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
def test_products_are_those_of_the_matrix(density: float) -> None:
    data = table(density)
    weights, slopes, rows = RNG.normal(size=7), RNG.normal(size=50), sparse_rows(data)
    assert rows[0][-1] == np.count_nonzero(data.features)
    scores = np.empty(50)
    sparse_scores(scores, weights, rows)
    assert scores == pytest.approx(data.features @ weights, rel=1e-13, abs=1e-14)
    slopes[3], out = np.nan, np.zeros(7)
    add_sparse_gradient(out, 0.8, slopes, row_norms(data), rows)
    each = np.where(np.isnan(slopes), 0.0, slopes)[:, None] * data.features
    each *= (0.8 / np.maximum(0.8, np.linalg.norm(each, axis=1)))[:, None]
    assert out == pytest.approx(each.sum(axis=0), rel=1e-12, abs=1e-13)


def test_gradients_are_those_of_the_model() -> None:
    data, weights = table(0.5), RNG.normal(size=7)
    scores, out = np.empty(50), np.zeros(7)
    sparse_scores(scores, weights, sparse_rows(data))
    add_sparse_gradient(out, 0.4, -data.labels / (1 + np.exp(data.labels * scores)), row_norms(data), sparse_rows(data))
    assert out == pytest.approx(find_model("logistic").gradient(weights, data, clip=0.4), rel=1e-12, abs=1e-13)


def test_they_are_made_once_and_go_with_the_table() -> None:
    data = table(0.5)
    rows = sparse_rows(data)
    assert sparse_rows(data) is rows
    assert not any(array.flags.writeable for array in rows)
    gone = weakref.ref(data)
    del data
    gc.collect()
    assert gone() is None
