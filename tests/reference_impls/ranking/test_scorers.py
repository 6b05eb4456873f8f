"""Scoring functions: scores by hand, gradients by complex step, the Gram matrix, spectral normalisation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.recording.tape import Tape
from reference_impls.ranking.scorers.linear import row_lengths
from reference_impls.ranking.scorers.scorer import Scorer, find_scorer

STEP = 1e-30
DOCUMENTS = np.random.default_rng(3).uniform(-1, 1, (5, 3))
ACTIVATIONS = {
    "relu": lambda points: points * (points.real > 0),
    "tanh": np.tanh,
    "logistic": lambda points: 1 / (1 + np.exp(-points)),
}


def twin(weights: np.ndarray, documents: np.ndarray, activation: str) -> np.ndarray:
    """f, for complex weights too."""
    width = weights.size // (documents.shape[1] + 2)
    split = width * documents.shape[1]
    hidden = documents @ weights[:split].reshape(width, -1).T + weights[split:-width]
    return ACTIVATIONS[activation](hidden) @ weights[-width:]


def some_weights(scorer: Scorer) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(scorer.dimension(3))


def each_gradient(scorer: Scorer, weights: np.ndarray) -> np.ndarray:
    return np.stack([scorer.gradient(weights, DOCUMENTS, unit) for unit in np.eye(5)])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_mlp_scores_and_gradients(activation: str) -> None:
    """BR-GRAD (b), repaired: the derivative at the pre-activation is the true one."""
    scorer = find_scorer(f"mlp:4:{activation}")
    weights = some_weights(scorer)
    assert scorer.scores(weights, DOCUMENTS) == pytest.approx(twin(weights, DOCUMENTS, activation), rel=1e-13)
    moved = [weights + 1j * STEP * unit for unit in np.eye(weights.size)]
    expected = np.array([twin(point, DOCUMENTS, activation).imag / STEP for point in moved]).T
    found = each_gradient(scorer, weights)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)
    mixed = np.arange(5.0) - 2.0
    assert scorer.gradient(weights, DOCUMENTS, mixed) == pytest.approx(mixed @ expected, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize(("activation", "same"), [("relu", True), ("tanh", False), ("logistic", False)])
def test_the_printed_gradient_is_the_true_one_for_relu_only(activation: str, same: bool) -> None:
    """BR-GRAD (b): phi'(a1) for phi'(h1)."""
    true, printed = find_scorer(f"mlp:4:{activation}"), find_scorer(f"mlp:4:{activation}:printed")
    weights = some_weights(true)
    assert np.array_equal(true.scores(weights, DOCUMENTS), printed.scores(weights, DOCUMENTS))
    difference = np.abs(each_gradient(true, weights) - each_gradient(printed, weights)).max()
    assert difference == 0 if same else difference > 0.01


@pytest.mark.parametrize("text", ["linear", "mlp:4", "mlp:3:tanh", "mlp:2:logistic:printed"])
def test_gram_matrices_are_inner_products(text: str) -> None:
    scorer = find_scorer(text)
    weights = some_weights(scorer)
    gradients = each_gradient(scorer, weights)
    assert scorer.gram(weights, DOCUMENTS) == pytest.approx(gradients @ gradients.T, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("text", ["linear", "mlp:4", "mlp:3:tanh", "mlp:2:logistic:printed"])
def test_differences_to_a_document(text: str) -> None:
    """Gradients, inner products and lengths, from the gradients themselves."""
    scorer = find_scorer(text)
    weights = some_weights(scorer)
    apart = each_gradient(scorer, weights) - each_gradient(scorer, weights)[2]
    mixed = np.arange(5.0) ** 2
    assert scorer.gradient(weights, DOCUMENTS, mixed, 2) == pytest.approx(mixed @ apart, rel=1e-11, abs=1e-13)
    assert scorer.gram(weights, DOCUMENTS, 2) == pytest.approx(apart @ apart.T, rel=1e-11, abs=1e-13)
    lengths, true = scorer.lengths(weights, DOCUMENTS, 2), np.linalg.norm(apart, axis=1)
    assert (lengths >= true * (1 - 1e-12)).all()
    assert (lengths <= 10 * true).all()
    if text == "linear":
        assert lengths == pytest.approx(true, rel=1e-14)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_lengths_of_rows_of_any_size(size: float) -> None:
    assert row_lengths(size * np.array([[3.0, -4.0], [0.0, 0.0]])) == pytest.approx([5 * size, 0.0], rel=1e-14)


@pytest.mark.parametrize("width", [2, 7])  # fewer and more units than features
def test_spectral_normalisation_makes_norms_one(width: int) -> None:
    scorer = find_scorer(f"mlp:{width}:tanh")
    weights = 3.0 * some_weights(scorer)
    normalised = scorer.normalised(weights, 3)
    first = 3 * width
    assert np.linalg.norm(normalised[:first].reshape(width, 3), 2) == pytest.approx(1.0, rel=1e-12)
    assert np.linalg.norm(normalised[-width:]) == pytest.approx(1.0, rel=1e-14)
    assert np.array_equal(normalised[first:-width], weights[first:-width])
    expected = weights[:first] / np.linalg.norm(weights[:first].reshape(width, 3), 2)
    assert normalised[:first] == pytest.approx(expected, rel=1e-12)
    assert not scorer.normalised(np.zeros(weights.size), 3).any()
    linear = find_scorer("linear")
    assert np.linalg.norm(linear.normalised(np.array([3.0, 4.0, 0.0]), 3)) == pytest.approx(1.0)
    assert not linear.normalised(np.zeros(3), 3).any()


@given(st.sampled_from(["relu", "tanh", "logistic", "tanh:printed", "linear"]), st.integers(0, 999), st.floats(0, 50))
def test_normalised_matrices_bound_differences_of_gradients(text: str, seed: int, bias: float) -> None:
    """BR-SPECTRAL, as it holds: whatever the bias."""
    scorer = find_scorer(text if text == "linear" else f"mlp:4:{text}")
    rng = np.random.default_rng(seed)
    documents = rng.uniform(-1, 1, (4, 3))
    weights = scorer.normalised(rng.standard_normal(scorer.dimension(3)), 3)
    if text != "linear":
        weights[12:-4] *= bias
    gram = scorer.gram(weights, documents)
    squares = np.diag(gram)[:, None] + np.diag(gram) - 2 * gram
    assert squares.max() <= scorer.spread_bound(documents) ** 2 + 1e-11 * np.abs(gram).max()


def test_normalised_matrices_do_not_bound_the_gradient_itself() -> None:
    """BR-SPECTRAL, as it is worded: the bias is not normalised, and df/dW2 = a1 grows with it."""
    scorer = find_scorer("mlp:4")
    weights = scorer.normalised(some_weights(scorer), 3)
    weights[12:-4] = 1000.0
    assert np.sqrt(np.diag(scorer.gram(weights, DOCUMENTS))).min() > 1000
    assert scorer.spread_bound(DOCUMENTS) < 8


def test_starts() -> None:
    rng = np.random.default_rng(0)
    tape = Tape.recording(rng)
    assert not find_scorer("linear").start(3, tape).any()
    assert not tape.transcript(0.0).draws
    weights = find_scorer("mlp:200").start(4, tape)
    assert weights.shape == (1200,)
    assert not weights[800:-200].any()
    assert weights[:800].std() == pytest.approx(0.5, rel=0.3)  # 12 standard errors
    assert tape.transcript(0.0).draws[0].name == "start"


def test_texts() -> None:
    for text in ("linear", "mlp:8:relu", "mlp:8:tanh:printed"):
        assert find_scorer(text).name == text
        assert isinstance(find_scorer(text), Scorer)
    for text in ("mlp", "mlp:x", "mlp:8:tanh:true", "tree"):
        with pytest.raises(InputError, match="mlp:WIDTH"):
            find_scorer(text)
    with pytest.raises(InputError, match="activation"):
        find_scorer("mlp:8:sine")
    with pytest.raises(InputError, match="width = 0"):
        find_scorer("mlp:0")
    with pytest.raises(InputError, match="shape"):
        find_scorer("mlp:8").scores(np.zeros(3), DOCUMENTS)
