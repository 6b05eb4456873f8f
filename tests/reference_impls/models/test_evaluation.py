"""Accuracy and objective against loops over the records."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dpverify.datasets.breast_cancer import load_breast_cancer
from dpverify.datasets.sparse_logistic import MODEL, simulate_sparse_logistic
from reference_impls.models.evaluation import classified, classified_on_test
from reference_impls.models.selection_evaluation import selected

LOGISTIC = SimpleNamespace(model="logistic")
WHOLE = load_breast_cancer().normalised()
TRAIN, TEST = WHOLE.take(np.arange(400)), WHOLE.take(np.arange(400, 569))


def naive(weights, table):
    scores = table.features @ weights
    right = np.where(scores >= 0, 1.0, -1.0) == table.labels
    return np.mean(np.log1p(np.exp(-table.labels * scores))), np.mean(right)


def test_both_parts():
    weights = np.random.default_rng(0).normal(size=WHOLE.columns)
    found = classified(LOGISTIC, weights, TRAIN, TEST, l1=0.1, l2=0.2)
    penalty = 0.1 * np.abs(weights).sum() + 0.1 * np.square(weights).sum()
    assert found["objective"] == pytest.approx(naive(weights, TRAIN)[0] + penalty)
    assert found["accuracy"] == pytest.approx(naive(weights, TEST)[1])
    tested = classified(LOGISTIC, weights, TRAIN, TEST, l1=0.1, l2=0.2, on="test")
    assert tested == {**found, "objective": pytest.approx(naive(weights, TEST)[0] + penalty)}
    assert classified_on_test(LOGISTIC, weights, TRAIN, TEST)["objective"] == pytest.approx(naive(weights, TEST)[0])


def test_one_loss_for_all():
    weights = np.random.default_rng(1).normal(size=WHOLE.columns)
    found = classified(SimpleNamespace(model="huber-svm"), weights, TRAIN, TEST, loss="hinge")
    assert found["objective"] == pytest.approx(np.maximum(0, 1 - TRAIN.labels * (TRAIN.features @ weights)).mean())


def test_a_constant_label():
    found = classified(LOGISTIC, np.array([1.0]), TRAIN, TEST, l2=5.0)
    assert found == {"accuracy": float(np.mean(TEST.labels == 1.0)), "objective": pytest.approx(np.log(2.0))}
    assert classified_on_test(LOGISTIC, np.array([-1.0]), TRAIN, TEST)["accuracy"] == float(
        np.mean(TEST.labels == -1.0)
    )


def test_coverage_of_the_true_model():
    table = simulate_sparse_logistic(50, rng=np.random.default_rng(0))
    found = selected(LOGISTIC, MODEL, table, table)
    assert [found[f"coverage@{k}"] for k in (20, 25, 30, 40)] == [1.0] * 4
    assert found["accuracy"] > 0.8
    assert selected(LOGISTIC, np.array([1.0]), table, table)["coverage@20"] == 0.0
