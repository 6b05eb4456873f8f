"""Memory: no gradient of all records is ever written out."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from dpverify.datasets.table import Table
from reference_impls.models import network
from reference_impls.models.model import find_model


@pytest.mark.parametrize("text", ["mlp:144-200-10", "cnn:1x12x12:16@5-max2-32@3-max2-10"])
def test_a_clipped_sum_fits_in_a_few_chunks(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written out, the records' gradients would take more than 80 MB."""
    model, rng = find_model(text), np.random.default_rng(7)
    table = Table(features=rng.random((2_000, 144)), labels=rng.integers(0, 10, 2_000).astype(float))
    monkeypatch.setattr(network, "CHUNK", 1 << 17)  # 1 MB
    weights = model.start(144, rng=rng)
    assert table.rows * weights.size * 8 > 80e6
    tracemalloc.start()
    try:
        model.gradient(weights, table, clip=1.0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3e6
