"""What weights are worth for selecting attributes, beside `classified`: coverage of the relevant ones (DISS, 4.6.6)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.datasets.sparse_logistic import coverage
from dpverify.datasets.table import Table
from reference_impls.models.evaluation import classified

Float = NDArray[np.float64]

SELECTED = (20, 25, 30, 40)
"""K: numbers of attributes that are selected."""


def selected(
    algorithm: Any,
    weights: Float,
    train: Table,
    test: Table,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    on: Literal["train", "test"] = "train",
) -> dict[str, float]:
    """``accuracy`` and ``objective`` as `classified`; ``coverage@20`` and others in [0, 1]; without weights, 0."""
    whole = weights if weights.size == train.columns else np.zeros(train.columns)
    found = classified(algorithm, weights, train, test, l1=l1, l2=l2, on=on)
    return found | {f"coverage@{k}": float(coverage(whole, k)) for k in SELECTED}
