"""Top-k probabilities: enumeration, a plain twin with complex steps, and saturated scores."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from reference_impls.ranking.top_k_probabilities import jacobian, log_permutation, log_slopes, prefixes, top_k

STEP = 1e-30  # complex step: no cancellation, so no trade-off
SCORES = np.array([0.3, -1.2, 2.0, 0.7])


def twin(scores: np.ndarray, order: tuple[int, ...]) -> complex:
    """(6.4) written down."""
    grown = np.exp(scores)
    left = list(range(scores.size))
    chance = 1.0 + 0.0j
    for document in order:
        chance *= grown[document] / grown[left].sum()
        left.remove(document)
    return chance


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_all_prefixes_in_order_with_their_probabilities(k: int) -> None:
    listed, chances = top_k(SCORES, k)
    expected = list(permutations(range(4), min(k, 4)))
    assert [tuple(row) for row in listed.tolist()] == expected
    assert chances == pytest.approx([twin(SCORES, order).real for order in expected], rel=1e-13)
    assert chances.sum() == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_gradients_are_the_complex_steps(k: int) -> None:
    listed = prefixes(4, k)
    found = jacobian(SCORES, listed)
    for row, order in zip(found, listed.tolist(), strict=True):
        steps = [twin(SCORES + 1j * STEP * unit, tuple(order)).imag / STEP for unit in np.eye(4)]
        assert row == pytest.approx(steps, rel=1e-12, abs=1e-15)
        logs = [
            (twin(SCORES + 1j * STEP * unit, tuple(order)) / twin(SCORES, tuple(order))).imag / STEP
            for unit in np.eye(4)
        ]
        assert log_slopes(SCORES, np.array(order)) == pytest.approx(logs, rel=1e-12, abs=1e-15)
        assert log_permutation(SCORES, np.array(order)) == pytest.approx(math.log(twin(SCORES, tuple(order)).real))
    assert found.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-15)


@given(st.lists(st.floats(-800, 800), min_size=1, max_size=5), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_probabilities_sum_to_one_whatever_the_scores(scores: list[float], k: int) -> None:
    """BR-TOPK; and slopes of the logs are finite, within [-k, 1], and sum to 0."""
    values = np.array(scores)
    listed, chances = top_k(values, k)
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    for order in listed:
        slopes = log_slopes(values, order)
        assert abs(slopes.sum()) < 1e-12
        assert -k - 1e-12 <= slopes.min()
        assert slopes.max() <= 1 + 1e-12


def test_saturated_slopes_keep_their_accuracy() -> None:
    """1 - p is e^-80 here: lost when it is computed as a difference from 1."""
    slopes = log_slopes(np.array([80.0, 0.0]), np.array([0]))
    assert slopes == pytest.approx([math.exp(-80), -math.exp(-80)], rel=1e-12, abs=0.0)


def test_too_many_or_none_are_refused() -> None:
    with pytest.raises(InputError, match="k = 1"):
        prefixes(121, 3)
    with pytest.raises(InputError, match="at least one"):
        prefixes(3, 0)
