"""The true model is the one that the simulated data were made with, cut or padded to the table."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.sparse_logistic import MODEL
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.true_model import TrueModel


@pytest.mark.parametrize("columns", [3, 100, 102])
def test_it_has_the_weights_of_the_simulation(columns: int) -> None:
    table = Table(features=np.ones((4, columns)), labels=np.array([1.0, -1.0, 1.0, 1.0]))
    found = TrueModel().train(table, rng=stream(0, "true"))
    assert found.size == columns
    assert np.array_equal(found[:100], MODEL[:columns])
    assert not found[100:].any()
