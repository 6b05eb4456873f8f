"""Layers: the ghost-norm identity, lengths of rows of any size, random weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impls.models.network_layers import ACTIVATIONS, OuterProducts, random_weights
from reference_impls.models.row_lengths import row_lengths

SIZES = st.floats(-10, 10)


@given(st.lists(SIZES, min_size=3, max_size=3), st.lists(SIZES, min_size=2, max_size=2), st.booleans())
def test_the_ghost_norm_is_the_norm_of_the_gradient_written_out(inputs, deltas, bias) -> None:
    product = OuterProducts(inputs=np.array([inputs]), deltas=np.array([deltas]), bias=bias)
    out = np.zeros(6 + 2 * bias)
    product.add(out, np.ones(1))
    assert out[:6].tolist() == np.outer(deltas, inputs).reshape(-1).tolist()
    assert out[6:].tolist() == (deltas if bias else [])
    assert product.norms()[0] == pytest.approx(math.hypot(*out), rel=1e-14)


@pytest.mark.parametrize("size", [0.0, 5e-324, 1e-300, 1e-170, 1.0, 1e170, 1e308])
def test_rows_of_any_size_have_their_length(size: float) -> None:
    found = row_lengths(np.array([[size, -size], [3.0, 4.0]]))
    assert found == pytest.approx([math.hypot(size, size), 5.0], rel=1e-15, abs=0.0)


def test_a_row_left_out_reaches_no_sum() -> None:
    rows = np.array([[1.0, 2.0], [np.inf, np.nan]])
    out = np.zeros(6)
    OuterProducts(inputs=rows, deltas=rows, bias=True).add(out, np.array([0.5, 0.0]))
    assert out.tolist() == [0.5, 1.0, 1.0, 2.0, 0.5, 1.0]


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_random_weights_have_the_variance_of_their_source(kind: str) -> None:
    """200,000 draws: their mean square is off by a part of 0.02 with probability below 1e-9 (normal, 6.3 sigmas)."""
    drawn = random_weights(kind, (400, 500), 500, 400, rng=np.random.default_rng(0))
    limit = math.sqrt(6 / 900)
    assert np.mean(drawn**2) == pytest.approx(2 / 500 if kind == "relu" else limit**2 / 3, rel=0.02)
    assert kind == "relu" or np.abs(drawn).max() <= limit
