"""Splits: a partition, the same for the same names, other ones in other repetitions."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.breast_cancer import load_breast_cancer
from dpverify.datasets.table import Table
from dpverify.utility.split import split


def numbered(rows):
    return Table(features=np.arange(rows, dtype=float)[:, None], labels=np.ones(rows))


def of(whole, repetition=0, **more):
    return split(whole, 0.25, **{"seed": 0, "name": "n", "repetition": repetition, **more})


def test_it_is_a_partition():
    train, test = of(numbered(101))
    assert test.rows == 25
    found = np.sort(np.concatenate([train.features[:, 0], test.features[:, 0]]))
    assert np.array_equal(found, np.arange(101))


def test_the_names_decide():
    whole = numbered(50)
    first, other = of(whole)[1].features, of(whole, 1)[1].features
    assert np.array_equal(first, of(numbered(50))[1].features)
    assert not np.array_equal(first, other)
    assert not np.array_equal(first, of(whole, seed=1)[1].features)
    assert not np.array_equal(first, of(whole, name="m")[1].features)


def test_many_splits_later_it_is_the_same():
    whole = load_breast_cancer()
    before = of(whole)[0].labels.copy()
    for repetition in range(1, 9):
        of(whole, repetition)
    assert np.array_equal(before, of(whole)[0].labels)


def test_another_table_of_the_name_has_parts_of_its_own():
    """A freed table's id is given again at once: the cache must not take one for the other."""
    for size in range(40, 60):
        train, test = of(numbered(size))
        assert train.rows + test.rows == size
        del train, test


def test_too_few():
    with pytest.raises(InputError, match="at least two"):
        of(numbered(1))
