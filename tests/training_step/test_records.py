"""Batches: records taken, repeated, scaled; labels are left as they are."""

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.training_step.records import TrainingBatch

FEATURES = np.arange(8.0).reshape(4, 2) + 0.5


def test_arrays_are_taken_and_scaled_but_for_labels():
    batch = TrainingBatch(
        {"x": FEATURES, "label": np.array([0.0, 1, 1, 0]), "target": FEATURES[:, 0], "word": np.arange(4)}
    )
    assert batch.scaled == {"x", "target"}
    found = batch.taken([3, 0, 3], [10.0, 1.0, -1.0])
    assert found["x"].tolist() == [[65.0, 75.0], [0.5, 1.5], [-6.5, -7.5]]
    assert found["label"].tolist() == [0, 0, 0]
    assert found["word"].tolist() == [3, 0, 3]
    assert found["target"].tolist() == [65.0, 0.5, -6.5]
    assert len(batch.taken([], [])["x"]) == 0


def test_a_dtype_stays():
    batch = TrainingBatch(FEATURES.astype(np.float32))
    assert batch.taken([0, 1], [1e6, 1.0]).dtype == np.float32
    half = TrainingBatch(FEATURES.astype(np.float16))
    assert half.finite([1], [1.0]) and not half.finite([1], [1e6])


def test_lists_of_records_are_copied():
    given = [([0.5, 1.5], 1.0), ([2.5, 3.5], 0.0)]
    batch = TrainingBatch(given)
    found = batch.taken([1, 1], [2.0, 1.0])
    assert found == [([5.0, 7.0], 0.0), ([2.5, 3.5], 0.0)]
    found[1][0].append(9)
    assert given == [([0.5, 1.5], 1.0), ([2.5, 3.5], 0.0)]
    assert batch.taken([], []) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (FEATURES[:1], "a batch of 1 records"),
        ((FEATURES, FEATURES[:3]), r"different numbers of records \(0: 4, 1: 3\)"),
        (3.0, "whose part of records is a float"),
        ({}, "a batch of 0 records"),
    ],
)
def test_other_forms_are_refused(wrong, said):
    with pytest.raises(InputError, match=said):
        TrainingBatch(wrong)
