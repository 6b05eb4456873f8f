"""The data set that is always here."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from sklearn import datasets

from dpverify.core.registry import Registry
from dpverify.datasets import breast_cancer
from dpverify.datasets.breast_cancer import load_breast_cancer


def test_size_labels_and_scaling() -> None:
    table = load_breast_cancer()
    assert (table.rows, table.columns) == (569, 31)
    assert table.majority == pytest.approx(357 / 569)
    assert table.features[:, :-1].min(axis=0) == pytest.approx(np.zeros(30))
    assert table.features[:, :-1].max(axis=0) == pytest.approx(np.ones(30))
    assert (table.features[:, -1] == 1).all()
    assert table.sha256 == "25e2eb7b7a8745b1bde5ba18bc4969983d2e2f403291ecd5bde4a29ef30c3859"


def test_it_is_what_scikit_learn_loads() -> None:
    """The file is read without its library."""
    values, target = datasets.load_breast_cancer(return_X_y=True)
    assert load_breast_cancer().sha256 == sha256(values.astype(np.float64).tobytes() + target.tobytes()).hexdigest()
    assert "sklearn" not in vars(breast_cancer)


def test_it_is_registered_as_it_loads() -> None:
    registry = Registry()
    breast_cancer.register(registry)
    found = registry.datasets.get("breast-cancer")
    table = found.load()
    assert (found.rows, found.columns) == (table.rows, table.columns)
    assert found.available()
