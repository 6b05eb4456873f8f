"""Canaries of each kind are what they are said to be, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.canary_kit.records import make_canaries, records_of
from dpverify.core.errors import InputError

RNG = np.random.default_rng(0)
FEATURES, LABELS = RNG.standard_normal((30, 8)), np.arange(30) % 3


def made(kind, count=12, features=FEATURES, **changed):
    given = {"relation": "add-remove", "norm": None, "own_columns": False}
    return make_canaries(records_of((features, LABELS)), kind, count, rng=np.random.default_rng(1), **given | changed)


def test_made_up_records_are_long_and_alone():
    few = made("record", count=10, features=np.pad(FEATURES, ((0, 0), (0, 12))))
    longest = np.linalg.norm(FEATURES, axis=1).max()
    assert np.allclose(np.linalg.norm(few.inside.features, axis=1), longest)
    assert np.array_equal(few.inside.features @ few.inside.features.T, longest**2 * np.eye(10)) or np.allclose(
        few.inside.features @ few.inside.features.T, longest**2 * np.eye(10)
    )
    assert not np.any(FEATURES @ few.inside.features[:, :8].T)  # on columns that the data do not use
    many = made("record", count=12, norm=2.0)
    assert np.allclose(np.linalg.norm(many.inside.features, axis=1), 2.0)
    own = made("record", own_columns=True)
    assert own.others.features.shape == (30, 20)
    assert not np.any(own.others.features @ own.inside.features.T)
    assert set(own.inside.labels.tolist()) <= {0, 1, 2}


def test_images_keep_their_shape():
    pictures = made("record", features=FEATURES.reshape(30, 2, 4).astype(np.float32))
    assert pictures.inside.features.shape == (12, 2, 4)
    assert pictures.inside.features.dtype == np.float32


def test_mislabelled_records_are_taken_out_of_the_data():
    found = made("label", relation="replace")
    assert found.others.rows == 18
    assert found.outside is not None
    assert np.all(found.inside.labels != found.outside.labels)
    back = np.concatenate([found.others.features, found.outside.features])
    assert np.array_equal(np.sort(back, axis=0), np.sort(FEATURES, axis=0))
    coins = np.arange(12) % 2 == 0
    mixed, numbers = found.mixed(coins, rng=np.random.default_rng(2))
    assert mixed.rows == 30
    assert sorted(numbers[numbers >= 0].tolist()) == np.flatnonzero(coins).tolist()
    for row in np.flatnonzero(numbers >= 0):
        assert np.array_equal(mixed.features[row], found.inside.features[numbers[row]])
        assert mixed.labels[row] == found.inside.labels[numbers[row]]


def test_what_is_too_large_is_refused():
    with pytest.raises(InputError, match="numbers in all"):
        made("record", count=10**5, own_columns=True)
