"""Clipped gradients of linear and softmax models beside the bare BLAS products.

Each group holds the same task done both ways, so the printed ratios are what counts. Nothing here asserts a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpverify.datasets.table import Table
from reference_impls.models.model import find_model

pytest.importorskip("pytest_benchmark")


def table(rows: int, columns: int, classes: int = 0) -> Table:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, rows).astype(float) if classes else rng.choice([-1.0, 1.0], rows)
    return Table(features=rng.normal(size=(rows, columns)) / np.sqrt(columns), labels=labels)


@pytest.mark.parametrize("by", ["blas", "dpverify"])
@pytest.mark.parametrize("text", ["logistic", "softmax:10"])
def test_one_clipped_gradient(benchmark: Any, text: str, by: str) -> None:
    """20,000 records of 124 columns; BLAS has the two products alone, no loss and no clipping."""
    benchmark.group = f"clipped gradient: {text}"
    model, classes = find_model(text), 10 if "softmax" in text else 0
    data = table(20_000, 124, classes)
    weights = np.random.default_rng(1).normal(size=model.dimension(124))
    if by == "dpverify":
        benchmark(lambda: model.gradient(weights, data, clip=0.5))
        return
    by_class = weights.reshape(-1, 124).T
    benchmark(lambda: (data.features @ by_class).T @ data.features)
