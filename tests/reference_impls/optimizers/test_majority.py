"""The most frequent label."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.dataset import load_table
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.majority import Majority


def label(labels: list[float], **settings: str) -> list[float]:
    table = Table(features=np.zeros((len(labels), 1)), labels=np.array(labels))
    found: list[float] = Majority(**settings).train(table, rng=stream(0, "none")).tolist()
    return found


def test_the_most_frequent_label_and_the_smallest_of_several() -> None:
    assert label([1.0, -1.0, 1.0]) == [1.0]
    assert label([-1.0]) == [-1.0]
    assert label([1.0, -1.0]) == [-1.0]
    assert label([2.0, 0.0, 2.0, 1.0], model="softmax:3") == [2.0]


def test_it_gets_as_many_right_as_the_table_says() -> None:
    table = load_table("breast-cancer")
    found = Majority().train(table, rng=stream(0, "none"))
    assert np.mean(table.labels == found) == pytest.approx(table.majority)
