"""Gradients that BayesRank adds up: from their definition, and every bound on what labels do to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impls.ranking.metrics import ndcg
from reference_impls.ranking.prefix_gradients import (
    accumulated_gradient,
    all_prefixes,
    document_sums,
    one_hot,
    prefix_norms,
    two_documents,
    two_largest,
)
from reference_impls.ranking.scorers.scorer import find_scorer
from reference_impls.ranking.top_k import jacobian, prefixes

SCORERS = ("linear", "mlp:3:tanh", "mlp:3:relu")


def case(text: str, seed: int, size: int = 4, scale: float = 1.0):
    rng = np.random.default_rng(seed)
    scorer = find_scorer(text)
    return scorer, scale * rng.standard_normal(scorer.dimension(3)), rng.uniform(-1, 1, (size, 3)), rng


def each_prefix(scorer, weights, documents, k):
    """g_pi for every prefix, from its definition, shape (N, dimension)."""
    slopes = jacobian(scorer.scores(weights, documents), prefixes(len(documents), k))
    single = np.stack([scorer.gradient(weights, documents, unit) for unit in np.eye(len(documents))])
    return slopes @ single


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("text", SCORERS)
def test_norms_and_sums_are_those_of_the_definition(text: str, k: int) -> None:
    scorer, weights, documents, _ = case(text, 1)
    gradients = each_prefix(scorer, weights, documents, k)
    listed, norms = prefix_norms(scorer, weights, documents, k)
    assert norms == pytest.approx(np.linalg.norm(gradients, axis=1), rel=1e-10)
    assert gradients.sum(axis=0) == pytest.approx(np.zeros(weights.size), abs=1e-13)
    labels = np.array([0.0, 2.0, 1.0, 0.0])
    expected = ndcg(labels, listed, k) @ gradients
    assert accumulated_gradient(scorer, weights, documents, labels, k) == pytest.approx(expected, rel=1e-11, abs=1e-13)


@given(st.sampled_from(SCORERS), st.integers(0, 9999), st.integers(1, 5), st.integers(1, 2), st.floats(0, 8))
@settings(max_examples=80, deadline=None)
def test_labels_move_the_gradient_by_at_most_the_sum_of_norms(text, seed, size, k, scale) -> None:
    """BR-SENS; and half of it bounds the gradient itself, so the larger sum bounds a change of the whole session."""
    scorer, weights, documents, rng = case(text, seed, size, scale)
    bound = all_prefixes(prefix_norms(scorer, weights, documents, k)[1])
    one, two = (
        accumulated_gradient(scorer, weights, documents, rng.integers(0, 3, size).astype(float), k) for _ in range(2)
    )
    room = 1e-7 * max(1.0, float(np.abs(scorer.gram(weights, documents)).max())) ** 0.5
    assert np.linalg.norm(one - two) <= bound + room
    assert np.linalg.norm(one) <= bound / 2 + room


@given(st.sampled_from(SCORERS), st.integers(0, 9999), st.integers(2, 5), st.integers(1, 3), st.floats(0, 3))
@settings(max_examples=80, deadline=None)
def test_one_relevant_document_is_bounded_by_two_documents(text, seed, size, k, scale) -> None:
    """BR-ONEHOT: for k = 1 these are the two largest norms; a change of the session is within twice the largest."""
    scorer, weights, documents, _ = case(text, seed, size, scale)
    listed, norms = prefix_norms(scorer, weights, documents, k)
    alone = [accumulated_gradient(scorer, weights, documents, label, k) for label in np.eye(size)]
    moves = [np.linalg.norm(one - two) for one in alone for two in [*alone, 0.0 * alone[0]]]
    room = 1e-7 * max(1.0, float(np.abs(scorer.gram(weights, documents)).max())) ** 0.5
    assert max(moves) <= two_documents(listed, norms) + room
    assert max(np.linalg.norm(one) for one in alone) <= document_sums(listed, norms).max() + room
    if k == 1:
        assert two_documents(listed, norms) == pytest.approx(two_largest(norms))


def test_two_documents_attain_the_sum_and_two_norms_are_too_few_for_two_places() -> None:
    scorer, weights, documents, _ = case("linear", 1, 2)
    norms = prefix_norms(scorer, weights, documents, 1)[1]
    moved = [accumulated_gradient(scorer, weights, documents, label, 1) for label in np.eye(2)]
    assert np.linalg.norm(moved[0] - moved[1]) == pytest.approx(all_prefixes(norms), rel=1e-12)
    documents = np.array([[1.0], [-1.0], [1.0], [-1.0], [0.9], [-0.9]])
    listed, norms = prefix_norms(scorer, np.zeros(1), documents, 2)
    first, second = (accumulated_gradient(scorer, np.zeros(1), documents, label, 2) for label in np.eye(6)[:2])
    move = np.linalg.norm(first - second)
    assert two_largest(norms) < move / 1.5
    assert move <= two_documents(listed, norms)


def test_saturated_scores_keep_the_bound_sharp() -> None:
    """A document with all but e^-60 of the probability: gradients of size e^-60, and a bound of the same size."""
    scorer, documents = find_scorer("linear"), np.array([[1.0], [0.0]])
    weights = np.array([60.0])
    norms = prefix_norms(scorer, weights, documents, 1)[1]
    assert norms == pytest.approx(np.full(2, np.exp(-60)), rel=1e-12, abs=0.0)
    one, two = (accumulated_gradient(scorer, weights, documents, label, 1) for label in np.eye(2))
    assert np.linalg.norm(one - two) == pytest.approx(norms.sum(), rel=1e-12, abs=0.0)


def test_one_hot_keeps_one_of_the_highest() -> None:
    labels = np.array([0.0, 2.0, 1.0, 2.0])
    kept = [one_hot(labels, chance).tolist() for chance in (0.0, 0.49, 0.5, 0.999)]
    assert kept == [[0, 2, 0, 0], [0, 2, 0, 0], [0, 0, 0, 2], [0, 0, 0, 2]]
    assert not one_hot(np.zeros(3), 0.7).any()
    assert labels.tolist() == [0, 2, 1, 2]
