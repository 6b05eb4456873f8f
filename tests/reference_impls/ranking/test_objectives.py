"""Listwise objectives: losses by enumeration, slopes by central differences, and what they are at their best."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from reference_impls.ranking.objectives.objective import Objective, find_objective

SCORES = np.array([0.4, -0.3, 1.1, 0.0])
LABELS = np.array([0.0, 2.0, 1.0, 1.0])
NAMES = ("bayesrank", "listnet", "listmle")


def chance(scores: np.ndarray, order: tuple[int, ...]) -> float:
    left, found = list(range(scores.size)), 1.0
    for document in order:
        found *= np.exp(scores[document]) / np.exp(scores[left]).sum()
        left.remove(document)
    return found


def by_hand(name: str, scores: np.ndarray, k: int) -> float:
    orders = list(permutations(range(4), k))
    if name == "bayesrank":
        gains = 2**LABELS - 1
        best = sum(gain / np.log(i + 2) for i, gain in enumerate(sorted(gains, reverse=True)[:k]))
        values = [sum(gains[d] / np.log(i + 2) for i, d in enumerate(order)) / best for order in orders]
        return -sum(value * chance(scores, order) for value, order in zip(values, orders, strict=True))
    if name == "listnet":
        return -sum(chance(LABELS, order) * np.log(chance(scores, order)) for order in orders)
    return -np.log(chance(scores, (1, 2, 3, 0)))  # ties in stored order


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_losses_and_slopes(name: str, k: int) -> None:
    objective = find_objective(name)
    assert isinstance(objective, Objective)
    assert objective.loss(SCORES, LABELS, k) == pytest.approx(by_hand(name, SCORES, k), rel=1e-13)
    step = 1e-5
    differences = [
        (by_hand(name, SCORES + step * unit, k) - by_hand(name, SCORES - step * unit, k)) / (2 * step)
        for unit in np.eye(4)
    ]
    slopes = objective.slopes(SCORES, LABELS, k)
    assert slopes == pytest.approx(differences, abs=1e-9)
    assert abs(slopes.sum()) < 1e-15
    assert objective.loss(SCORES + 7.0, LABELS, k) == pytest.approx(objective.loss(SCORES, LABELS, k), rel=1e-13)


@pytest.mark.parametrize("k", [1, 2])
def test_listnet_is_least_at_the_labels(k: int) -> None:
    assert np.abs(find_objective("listnet").slopes(LABELS + 3.0, LABELS, k)).max() < 1e-14


def test_bayesrank_of_a_session_without_relevant_documents_is_flat() -> None:
    """The convention for all-zero labels."""
    assert find_objective("bayesrank").loss(SCORES, np.zeros(4), 1) == 0
    assert not find_objective("bayesrank").slopes(SCORES, np.zeros(4), 2).any()


def test_an_unknown_objective_names_the_known() -> None:
    with pytest.raises(InputError, match="listmle"):
        find_objective("ranknet")
