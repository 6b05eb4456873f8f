"""Five clients of two classes each, and what mixing does."""

from __future__ import annotations

import numpy as np

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.federated.five_clients import five_clients

TABLE = Table(features=np.arange(500.0)[:, None], labels=np.tile(np.arange(10.0), 50))


def test_two_classes_each():
    found = five_clients(TABLE, rng=stream(0, "c"))
    assert [sorted(set(each.labels)) for each in found] == [[1, 9], [0, 8], [3, 5], [2, 6], [4, 7]]


def test_mixed():
    found = five_clients(TABLE, rng=stream(0, "c"), x=1.0)
    assert sum(each.rows for each in found) == 500
    assert all(len(set(each.labels)) == 10 for each in found)
