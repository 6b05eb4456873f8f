"""How records are split among clients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.clients import ADADP_CIFAR, split_by_class
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream

TABLE = Table(features=np.arange(400.0).reshape(200, 2), labels=(np.arange(200) % 10).astype(float), name="ten")


def test_the_pathological_split_is_adadps() -> None:
    """Cars and trucks, planes and ships ...: each class is one client's, two a client."""
    assert sorted(label for labels in ADADP_CIFAR for label in labels) == list(range(10))
    clients = split_by_class(TABLE, rng=stream(0))
    assert [sorted(set(client.labels.tolist())) for client in clients] == [sorted(labels) for labels in ADADP_CIFAR]
    assert [client.rows for client in clients] == [40] * 5
    assert clients[0].name == "ten, client 0"


@given(st.floats(0, 1), st.integers(0, 2**32))
def test_every_record_is_one_clients_and_sizes_stay(mixed: float, seed: int) -> None:
    clients = split_by_class(
        TABLE, ((0.0,), (1.0, 2.0), (3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)), mixed=mixed, rng=stream(seed)
    )
    assert [client.rows for client in clients] == [20, 40, 140]
    rows = np.concatenate([client.features for client in clients])
    assert sorted(map(tuple, rows)) == sorted(map(tuple, TABLE.features))
    for client in clients:
        assert (np.diff(client.features[:, 0]) > 0).all()
        assert np.array_equal(client.labels, (client.features[:, 0] / 2) % 10)


def test_a_share_of_the_records_is_random() -> None:
    """Of 200 records the 66 that change hands are all that may be in hands of another class."""
    own = [
        np.isin(client.labels, labels).sum()
        for mixed in (0.0, 0.33, 1.0)
        for client, labels in zip(split_by_class(TABLE, mixed=mixed, rng=stream(0)), ADADP_CIFAR, strict=True)
    ]
    none, third, whole = sum(own[:5]), sum(own[5:10]), sum(own[10:])
    assert none == 200
    assert 200 - 66 <= third < 200
    assert whole < third


@pytest.mark.parametrize(
    ("groups", "what"),
    [
        (((0.0, 1.0), (1.0, 2.0)), "client 1"),
        (((0.0, 1.0), (2.0,)), "label 3"),
        ((range(10), (10.0,)), "client 1 without"),
    ],
)
def test_groups_that_do_not_split_the_labels_are_refused(groups: tuple[tuple[float, ...], ...], what: str) -> None:
    with pytest.raises(InputError, match=what):
        split_by_class(TABLE, groups, rng=stream(0))


@pytest.mark.parametrize("mixed", [-0.1, 1.1, float("nan")])
def test_a_share_is_in_the_unit_interval(mixed: float) -> None:
    with pytest.raises(InputError, match="mixed"):
        split_by_class(TABLE, mixed=mixed, rng=stream(0))
