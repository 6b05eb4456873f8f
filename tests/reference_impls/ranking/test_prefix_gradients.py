"""Gradients that BayesRank adds up: from their definition, and every bound on what labels do to them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
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
from reference_impls.ranking.top_k_probabilities import jacobian, prefixes, top_one

SCORERS = ("linear", "mlp:3:tanh", "mlp:3:relu")


def case(text: str, seed: int, size: int = 4, scale: float = 1.0):
    rng = np.random.default_rng(seed)
    scorer = find_scorer(text)
    return scorer, scale * rng.standard_normal(scorer.dimension(3)), rng.uniform(-1, 1, (size, 3)), rng


def square(vector) -> Fraction:
    """|v|^2, exact."""
    return sum((Fraction(entry) ** 2 for entry in vector.tolist()), Fraction(0))


def awkward(seed: int, size: int, offset: float, apart: float) -> np.ndarray:
    """Documents with one feature far from 0, all `apart` times a draw from one another, the last two the same."""
    documents = np.ones((size, 3)) + apart * np.random.default_rng(seed).uniform(-1, 1, (size, 3))
    documents[:, 0] *= offset
    documents[-1] = documents[-2]
    return documents


AWKWARD = (st.integers(0, 9999), st.integers(2, 5), st.sampled_from([0.0, 1.0, 1e4, 1e8]), st.integers(-12, 0))


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
def test_labels_move_the_gradient_by_at_most_the_sum_of_norms(text, seed, size, k, scale) -> None:
    """BR-SENS; and half of it bounds the gradient itself, so the larger sum bounds a change of the whole session."""
    scorer, weights, documents, rng = case(text, seed, size, scale)
    bound = all_prefixes(prefix_norms(scorer, weights, documents, k)[1])
    one, two = (
        accumulated_gradient(scorer, weights, documents, rng.integers(0, 3, size).astype(float), k) for _ in range(2)
    )
    assert square(one - two) <= Fraction(bound) ** 2
    assert square(one) <= Fraction(bound / 2) ** 2


@given(st.sampled_from(SCORERS), st.integers(0, 9999), st.integers(2, 5), st.integers(1, 3), st.floats(0, 3))
def test_one_relevant_document_is_bounded_by_two_documents(text, seed, size, k, scale) -> None:
    """BR-ONEHOT: for k = 1 these are the two largest norms; a change of the session is within twice the largest."""
    scorer, weights, documents, _ = case(text, seed, size, scale)
    listed, norms = prefix_norms(scorer, weights, documents, k)
    alone = [accumulated_gradient(scorer, weights, documents, label, k) for label in np.eye(size)]
    moves = [np.linalg.norm(one - two) for one in alone for two in [*alone, 0.0 * alone[0]]]
    assert max(moves) <= two_documents(listed, norms)
    assert max(np.linalg.norm(one) for one in alone) <= document_sums(listed, norms).max()
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


@given(*AWKWARD, st.integers(1, 3), st.floats(0, 40))
def test_no_norm_is_below_the_true_one(seed, size, offset, digits, k, scale) -> None:
    """In exact arithmetic from the documents and the probabilities, all prefixes, linear scores: no room at all."""
    scorer, documents = find_scorer("linear"), awkward(seed, size, offset, 10.0**digits)
    weights = scale * np.random.default_rng(seed).standard_normal(3)
    weights[0] /= max(offset, 1.0)
    listed, norms = prefix_norms(scorer, weights, documents, k)
    scores = scorer.scores(weights, documents)
    chances = [Fraction(chance) for chance in top_one(scores).tolist()]
    slopes = jacobian(scores, listed)
    exact = [[Fraction(entry) for entry in document] for document in documents.tolist()]
    top = exact[int(np.argmax(scores))]
    for place, norm in enumerate(norms.tolist()):
        if k == 1:
            row = [chances[place] * ((i == place) - chance) for i, chance in enumerate(chances)]
        else:
            row = [Fraction(slope) for slope in slopes[place].tolist()]
        true = [sum(row[i] * (exact[i][j] - top[j]) for i in range(size)) for j in range(3)]
        assert Fraction(norm) ** 2 >= sum(entry**2 for entry in true)


@given(st.sampled_from(SCORERS), *AWKWARD, st.integers(1, 2))
def test_labels_move_what_is_computed_by_no_more(text, seed, size, offset, digits, k) -> None:
    """The floating-point G itself, moves in exact arithmetic, whatever features the documents share."""
    scorer, documents = find_scorer(text), awkward(seed, size, offset, 10.0**digits)
    weights = np.random.default_rng(seed).standard_normal(scorer.dimension(3))
    bound = Fraction(all_prefixes(prefix_norms(scorer, weights, documents, k)[1]))
    found = [accumulated_gradient(scorer, weights, documents, label, k) for label in [*np.eye(size), np.zeros(size)]]
    assert max(square(one - two) for one in found for two in found) <= bound**2


def test_a_shared_feature_and_near_duplicates_leave_the_bound_sharp() -> None:
    """A feature that is 1e8 everywhere adds nothing, and documents 1e-9 apart have norms of that size, not 0."""
    scorer = find_scorer("linear")
    documents = np.array([[0.5, 1e8], [-0.25, 1e8], [0.2, 1e8]])
    for k in (1, 2):
        norms = prefix_norms(scorer, np.zeros(2), documents, k)[1]
        expected = prefix_norms(scorer, np.zeros(1), documents[:, :1], k)[1]
        assert norms == pytest.approx(expected, rel=1e-12)
        assert not accumulated_gradient(scorer, np.zeros(2), documents, np.eye(3)[0], k)[1]
    near = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-9], [1.0 + 1e-9, 1.0]])
    norms = prefix_norms(scorer, np.zeros(2), near, 1)[1]
    assert norms == pytest.approx(np.array([2.0, 5.0, 5.0]) ** 0.5 / 9 * 1e-9, rel=1e-6)
    assert not prefix_norms(scorer, np.zeros(2), np.full((3, 2), 0.3), 1)[1].any()


@pytest.mark.parametrize("size", [1e-170, 1e170])
def test_squares_that_vanish_or_overflow(size: float) -> None:
    scorer, documents = find_scorer("linear"), size * np.array([[1.0], [0.0], [-1.0]])
    norms = prefix_norms(scorer, np.zeros(1), documents, 1)[1]
    moved = [accumulated_gradient(scorer, np.zeros(1), documents, label, 1) for label in np.eye(3)]
    assert abs(moved[0][0] - moved[2][0]) <= norms.sum() < 4 * size


def test_one_hot_keeps_one_of_the_highest() -> None:
    labels = np.array([0.0, 2.0, 1.0, 2.0])
    kept = [one_hot(labels, chance).tolist() for chance in (0.0, 0.49, 0.5, 0.999)]
    assert kept == [[0, 2, 0, 0], [0, 2, 0, 0], [0, 0, 0, 2], [0, 0, 0, 2]]
    assert not one_hot(np.zeros(3), 0.7).any()
    assert labels.tolist() == [0, 2, 1, 2]
