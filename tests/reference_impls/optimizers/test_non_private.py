"""The baselines without privacy."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from dpverify.core.errors import InputError
from dpverify.datasets.dataset import load_table
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.non_private import NonPrivate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
CLASSES = RNG.integers(0, 3, 80).astype(float)
L2 = 0.05


def train(model: str, labels: np.ndarray) -> np.ndarray:
    return NonPrivate(model=model, l2=L2).train(Table(features=X, labels=labels), rng=stream(0, "none"))


def test_logistic_and_softmax_regression_agree_with_scikit_learn() -> None:
    settings = {"C": 1 / (80 * L2), "fit_intercept": False, "tol": 1e-12, "max_iter": 2000}
    signs = np.where(CLASSES > 0, 1.0, -1.0)
    assert train("logistic", signs) == pytest.approx(LogisticRegression(**settings).fit(X, signs).coef_[0], abs=1e-6)
    found = train("softmax:3", CLASSES).reshape(3, 4)
    assert found == pytest.approx(LogisticRegression(**settings).fit(X, CLASSES).coef_, abs=1e-6)


def test_linear_regression_agrees_with_scikit_learn() -> None:
    y = X @ [1.0, -2.0, 0.0, 3.0] + RNG.normal(size=80)
    expected = Ridge(alpha=80 * L2, fit_intercept=False, tol=1e-12).fit(X, y).coef_
    assert train("squared", y) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("text", ["logistic", "huber-svm", "huber-svm:0.1"])
def test_the_gradient_vanishes_at_the_end(text: str) -> None:
    table, model = load_table("breast-cancer"), find_model(text)
    w = NonPrivate(model=text).train(table, rng=stream(0, "none"))
    assert np.abs(model.gradient(w, table) / table.rows + 0.001 * w).max() < 1e-7
    assert np.mean(model.predict(w, table) == table.labels) > 0.95


def test_the_hinge_ends_near_its_hubers_optimum() -> None:
    """Their losses differ by h_bar / 4 at most; the rest is for kinks that stop L-BFGS."""
    table, hinge = Table(features=X, labels=np.where(CLASSES > 0, 1.0, -1.0)), find_model("hinge")

    def objective(w: np.ndarray) -> float:
        return float(hinge.losses(w, table).mean() + L2 / 2 * (w @ w))

    ends = [
        objective(NonPrivate(model=text, l2=L2, iterations=200).train(table, rng=stream(0, "none")))
        for text in ("hinge", "huber-svm:0.01")
    ]
    assert ends[0] == pytest.approx(ends[1], abs=0.01)


def test_bad_settings_are_refused() -> None:
    for wrong in ({"l2": -1.0}, {"tolerance": 0.0}, {"iterations": 0}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            NonPrivate(**wrong)
