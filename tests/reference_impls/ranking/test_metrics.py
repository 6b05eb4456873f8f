"""NDCG and MAP against the text's example, scikit-learn, and enumeration."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from dpverify.core.errors import InputError
from dpverify.datasets.simulated_sessions import load_simulated
from reference_impls.papers.diss.lemmas.ranking.metric_range import MetricRange
from reference_impls.ranking.metrics import average_precision, ndcg, ranking

LABELS = np.array([0.0, 2.0, 1.0, 0.0, 1.0])


def test_the_texts_example_of_map() -> None:
    labels = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    for printed in (True, False):
        found = average_precision(labels, np.arange(6), 5, printed=printed)
        assert found == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_ndcg_by_hand(k: int) -> None:
    orders = np.array(list(permutations(range(5))))
    best = sorted(2**LABELS - 1, reverse=True)
    top = sum(gain / np.log2(place + 2) for place, gain in enumerate(best[:k]))
    expected = [
        sum((2 ** LABELS[document] - 1) / np.log2(place + 2) for place, document in enumerate(order[:k])) / top
        for order in orders
    ]
    found = ndcg(LABELS, orders, k)
    assert found == pytest.approx(expected, rel=1e-13)
    assert found.max() == pytest.approx(1.0, abs=1e-15)


def test_whole_rankings_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels, scores = rng.integers(0, 3, 8).astype(float), rng.standard_normal(8)
        if labels.any():
            relevant = (labels > 0).astype(int)
            expected = average_precision_score(relevant, scores)
            assert average_precision(labels, ranking(scores), 8) == pytest.approx(expected)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.integers(1, 7), st.randoms(use_true_random=False))
def test_with_labels_from_zero_on_they_lie_in_the_unit_interval(values: list[int], k: int, order_of) -> None:
    """BR-METRIC, all-zero labels included: their NDCG is 0 by convention."""
    labels, order = np.array(values, dtype=float), list(range(len(values)))
    order_of.shuffle(order)
    found = [ndcg(labels, np.array([order]), k)[0], average_precision(labels, np.array(order), k)]
    assert min(found) >= 0
    assert max(found) <= 1 + 1e-12
    assert labels.any() or found == [0.0, 0.0]


@pytest.mark.parametrize("largest", [3.0, 1100.0, 1e300])
def test_labels_of_any_size_keep_it_there(largest: float) -> None:
    """2^1024 is no float64: gains are taken over 2^(largest label), which cancels."""
    labels = np.array([largest - 2, largest, 0.0])
    expected = np.array([2.0**-2 - 2.0**-largest, 1 - 2.0**-largest, 0.0]) / (1 - 2.0**-largest)
    found = ndcg(labels, np.array([[0], [1], [2]]), 1)
    assert found == pytest.approx(expected if largest < 1e300 else [1.0, 1.0, 0.0], rel=1e-13)
    assert ndcg(-labels - 2000.0, np.array([[0], [1]]), 1) == pytest.approx([1.0, 1.0])


def test_as_printed_they_do_not() -> None:
    """Negative labels, and a hit at place k."""
    assert ndcg(np.array([-1.0, 1.0]), np.array([[0, 1]]), 1)[0] == -0.5
    two = np.array([1.0, 1.0])
    assert average_precision(two, np.arange(2), 2, printed=True) == 2.0
    assert average_precision(two, np.arange(2), 2) == 1.0
    assert average_precision(two, np.arange(2), 1, printed=True) == 0.0  # divided by nothing


def test_the_query_lists_both_rankings_of_every_session() -> None:
    found = MetricRange(metric="ndcg", k=1).query(load_simulated())
    assert found.shape == (24,)
    assert {0.0, 1.0} <= set(found)
    with pytest.raises(InputError, match="metric"):
        MetricRange(metric="mrr")
    with pytest.raises(InputError, match="Sessions"):
        MetricRange().query([1.0])
    with pytest.raises(InputError, match="k >= 1"):
        ndcg(LABELS, np.arange(5)[None], 0)
