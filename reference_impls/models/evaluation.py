"""What weights are worth: accuracy on the test part, and the regularised mean loss on the training part.

A result of one number (where the model has more weights) is a constant label, as majority gives it; its objective is
that of the public start, which is what a learner begins with.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.model import find_model
from reference_impls.models.regularisation import Penalty

Float = NDArray[np.float64]


def classified(
    algorithm: Any,
    weights: Float,
    train: Table,
    test: Table,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    loss: str = "",
    on: Literal["train", "test"] = "train",
) -> dict[str, float]:
    """``accuracy`` on the test part in [0, 1], ``objective`` on the training part, or `on` the test part.

    Parameters
    ----------
    algorithm : Training
        With the text of its model.
    l1, l2 : float
        The objective is the mean loss + l1 |w|_1 + (l2 / 2) |w|_2^2.
    loss : str
        Text of the model whose loss that is, where arms are trained with different ones; empty for the algorithm's own.
    """
    model = find_model(loss or algorithm.model)
    if weights.size == 1 < model.dimension(train.columns):
        found = np.full(test.rows, float(weights[0]))
        weights = model.start(train.columns, rng=stream(0, "start"))
    else:
        found = model.predict(weights, test)
    part = test if on == "test" else train
    value = summed_loss(model, weights, part) / part.rows + Penalty(l1=l1, l2=l2).value(weights)
    return {"accuracy": float(np.mean(found == test.labels)), "objective": float(value)}


def classified_on_test(algorithm: Any, weights: Float, _train: Table, test: Table) -> dict[str, float]:
    """``accuracy`` in [0, 1] and ``objective`` (mean loss), both on the test part: for networks, whose training parts
    are large."""
    model = find_model(algorithm.model)
    if weights.size == 1 < model.dimension(test.columns):
        found = np.full(test.rows, float(weights[0]))
        weights = model.start(test.columns, rng=stream(0, "start"))
    else:
        found = model.predict(weights, test)
    value = summed_loss(model, weights, test) / test.rows
    return {"accuracy": float(np.mean(found == test.labels)), "objective": float(value)}
