"""Descent on listwise objectives: without privacy against SciPy, clipped by hand, and the clipped sensitivity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.datasets.sessions import Sessions
from dpverify.datasets.simulated_sessions import load_simulated
from dpverify.sampling.streams import stream
from reference_impls.ranking.listwise_sgd import ListwiseSgd, _within
from reference_impls.ranking.objectives.objective import find_objective
from reference_impls.ranking.scorers.scorer import find_scorer

OBJECTIVES = ("bayesrank", "listnet", "listmle")


def test_listnet_without_privacy_reaches_scipys_optimum() -> None:
    """Convex for linear scores and k = 1; whole-data steps without noise. The loss is written here on its own."""
    data = load_simulated()
    parts = list(zip(data.offsets[:-1], data.offsets[1:], strict=True))

    def loss(weights: np.ndarray) -> float:
        scores = data.documents @ weights
        total = 0.0
        for a, b in parts:
            wanted = np.exp(data.labels[a:b] - logsumexp(data.labels[a:b]))
            total -= wanted @ (scores[a:b] - logsumexp(scores[a:b]))
        return total

    best = minimize(loss, np.zeros(3), method="L-BFGS-B", tol=1e-14)
    algorithm = ListwiseSgd(objective="listnet", scorer="linear", steps=1500, batch=12, step_size=0.5)
    found = algorithm.train(data, rng=stream(0, "optimum"))
    assert loss(found) == pytest.approx(best.fun, abs=1e-9)
    assert found == pytest.approx(best.x, abs=1e-3)  # as far as L-BFGS itself goes with numerical gradients


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("clipped", ["session", "sum"])
def test_a_step_by_hand(objective: str, clipped: str) -> None:
    data, scorer = load_simulated(), find_scorer("mlp:3:tanh")
    algorithm = ListwiseSgd(
        objective=objective,
        scorer="mlp:3:tanh",
        steps=2,
        batch=4,
        clip=0.2,
        clipped=clipped,
        noise_multiplier=0.5,
        believed=2.0,
    )
    whole = algorithm.transcript(data, rng=stream(0, "step", objective))
    assert algorithm.replay(data, whole).result.tobytes() == whole.result.tobytes()
    weights = whole.iterates[1]
    batch = [draw.values for draw in whole.draws if draw.name == "batch"][1]
    total = np.zeros(weights.size)
    for j in batch:

        def loss(point: np.ndarray, j: int = int(j)) -> float:
            scores = scorer.scores(point, data.documents_of(j))
            return find_objective(objective).loss(scores, data.labels_of(j), 1)

        steps = 1e-5 * np.eye(weights.size)
        gradient = np.array([(loss(weights + h) - loss(weights - h)) / 2e-5 for h in steps])
        total += gradient * min(1.0, 0.2 / np.linalg.norm(gradient)) if clipped == "session" else gradient
    if clipped == "sum":
        total *= min(1.0, 0.2 / np.linalg.norm(total))
    second = whole.perturbed[1]
    assert second.clean == pytest.approx(total, abs=1e-8)
    assert whole.step_sizes.tolist() == [0.1, 0.1]
    assert (second.scale, second.sensitivity) == pytest.approx((0.5 * 2.0 * 0.2, 2.0 * 0.2))
    assert whole.iterates[2] == pytest.approx(weights - 0.1 * second.value, rel=1e-12)


@given(st.sampled_from(OBJECTIVES), st.integers(0, 9999), st.floats(0.01, 1.0), st.sampled_from(["session", "sum"]))
def test_labels_move_a_clipped_sum_by_at_most_twice_the_clip(objective, seed, clip, clipped) -> None:
    """BR-CLIP, repaired: replacing a session altogether included (the labels of the first come with its documents)."""
    rng, scorer = np.random.default_rng(seed), find_scorer("linear")
    documents, labels = rng.uniform(-1, 1, (9, 3)), rng.integers(0, 3, 9).astype(float)
    algorithm = ListwiseSgd(objective=objective, scorer="linear", batch=3, clip=clip, clipped=clipped)
    offsets, batch, weights = np.array([0, 3, 6, 9]), np.arange(3), 3 * rng.standard_normal(3)
    whole = []
    for _ in range(2):
        documents[:3], labels[:3] = rng.uniform(-1, 1, (3, 3)), rng.integers(0, 3, 3)
        data = Sessions(documents=documents.copy(), labels=labels.copy(), offsets=offsets)
        whole.append(algorithm.gradient(scorer, weights, data, batch))
    assert np.linalg.norm(whole[0] - whole[1]) <= 2 * clip * (1 + 1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_and_that_is_attained(objective: str) -> None:
    """Two documents, preference reversed: twice the clip that the published noise is scaled to."""
    documents = np.array([[1.0], [-1.0]])
    moved = []
    for labels in ([1.0, 0.0], [0.0, 1.0]):
        data = Sessions(documents=documents, labels=np.array(labels), offsets=np.array([0, 2]))
        algorithm = ListwiseSgd(objective=objective, scorer="linear", batch=1, clip=0.1, steps=1)
        moved.append(algorithm.transcript(data, rng=stream(0, "attained")).perturbed[0].clean)
    assert np.linalg.norm(moved[0] - moved[1]) == pytest.approx(0.2)


def test_registered_under_names_that_tell_the_repair() -> None:
    subjects = registry().mechanisms
    for objective in OBJECTIVES:
        plain, clipped, repaired = (
            subjects.get(name)() for name in (objective, f"dp-{objective}", f"dp-{objective}-repaired")
        )
        assert (plain.noise_scale, plain.clip) == (0.0, np.inf)
        assert repaired.noise_scale == 2 * clipped.noise_scale == 3.0
        assert plain.relation == clipped.relation == repaired.relation == "labels"
        assert plain.objective == clipped.objective == objective
        assert plain.step_size == (0.01 if objective == "listmle" else 0.1)
    (part,) = subjects.get("dp-listnet")().composition(628)
    assert (part.count, part.step.q) == (400, 10 / 628)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gradient_that_is_no_number_adds_nothing(bad: float) -> None:
    """Labels must not decide between a number and none, nor send a sum beyond C; without clipping it stays."""
    for gradient in (np.array([bad, 1.0]), np.array([bad, -bad])):
        assert _within(gradient, 0.1).tolist() == [0.0, 0.0]
        assert not np.isfinite(_within(gradient, np.inf)).all()
    assert np.linalg.norm(_within(np.array([1e200, -1e200]), 0.1)) == pytest.approx(0.1)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_labels_of_any_size_move_it_by_at_most_twice_the_clip(objective: str) -> None:
    data, scorer = load_simulated(), find_scorer("mlp:3:tanh")
    weights = np.random.default_rng(0).standard_normal(scorer.dimension(3))
    algorithm = ListwiseSgd(objective=objective, scorer="mlp:3:tanh", batch=12, clip=0.1)
    large = np.zeros(data.labels_of(0).size)
    large[0] = 1100.0
    one, two = (algorithm.gradient(scorer, weights, each, np.arange(12)) for each in (data, data.relabelled(0, large)))
    assert np.linalg.norm(one - two) <= 0.2 * (1 + 1e-12)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="clip = inf"):
        ListwiseSgd(noise_multiplier=1.0)
    with pytest.raises(InputError, match="allowed: session, sum"):
        ListwiseSgd(clipped="batch")
    with pytest.raises(InputError, match="objective"):
        ListwiseSgd(objective="ranknet")
    with pytest.raises(InputError, match="believed"):
        ListwiseSgd(believed=0.0)
