"""Sums where one weight is moved beside the sums at the moved weights."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.table import Table
from reference_impls.models.coordinate_losses import coordinate_sums
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.model import find_model
from reference_impls.models.sparse_rows import sparse_rows

RNG = np.random.default_rng(4)
TABLE = Table(features=RNG.normal(size=(300, 6)) * (RNG.random((300, 6)) < 0.5), labels=RNG.choice([-1.0, 1.0], 300))


@pytest.mark.parametrize("size", [1e-9, 0.5, 1e3])
@pytest.mark.parametrize("loss", LINEAR_LOSSES)
def test_sums_are_those_at_the_moved_weights(loss: str, size: float) -> None:
    weights, out = RNG.normal(size=6), np.empty(12)
    scores = TABLE.features @ weights
    coordinate_sums(out, LINEAR_LOSSES[loss], 0.5, scores, TABLE.labels, sparse_rows(TABLE), size)
    for j, axis in enumerate(np.eye(6)):
        for place, sign in enumerate((1.0, -1.0)):
            expected = summed_loss(find_model(loss), weights + sign * size * axis, TABLE)
            assert out[2 * j + place] == pytest.approx(expected, rel=1e-12)
