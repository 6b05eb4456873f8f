"""The table of labelled records."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table


def small() -> Table:
    return Table(
        features=np.arange(6.0).reshape(3, 2), labels=np.array([1.0, -1.0, 1.0]), name="small", sha256="ab" * 32
    )


def test_sizes_majority_and_short_text() -> None:
    table = small()
    assert (table.rows, table.columns) == (3, 2)
    assert table.majority == pytest.approx(2 / 3)
    assert repr(table) == "Table(small, 3 x 2, sha256 abababababab...)"


def test_without_and_with_record_are_inverse() -> None:
    table = small()
    shorter = table.without(2)
    assert shorter.rows == 2
    back = shorter.with_record(table.features[2], float(table.labels[2]))
    assert np.array_equal(back.features, table.features)
    assert np.array_equal(back.labels, table.labels)


def test_take_keeps_the_order_asked_for() -> None:
    taken = small().take(np.array([2, 0]))
    assert taken.features.tolist() == [[4.0, 5.0], [0.0, 1.0]]
    assert taken.labels.tolist() == [1.0, 1.0]


def test_no_records_are_a_table() -> None:
    table = Table(features=np.zeros((0, 2)), labels=np.zeros(0))
    assert table.rows == 0
    assert table.majority == 0.0


def test_arrays_are_read_only_and_the_callers_are_not_touched() -> None:
    features = np.zeros((2, 2))
    table = Table(features=features, labels=np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="read-only"):
        table.features[0, 0] = 1.0
    features[0, 0] = 2.0
    assert features.flags.writeable


@pytest.mark.parametrize(
    ("features", "labels", "said"),
    [
        (np.zeros((2, 2)), np.array([1.0, 0.0]), "2 \\* labels - 1"),
        (np.zeros((2, 2)), np.array([1.0]), "shape"),
        (np.zeros(2), np.array([1.0, 1.0]), "shape"),
        (np.array([[np.nan]]), np.array([1.0]), "finite"),
    ],
)
def test_bad_tables_are_refused(features: np.ndarray, labels: np.ndarray, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Table(features=features, labels=labels)


def test_bad_records_are_refused() -> None:
    with pytest.raises(InputError, match="record 3"):
        small().without(3)
    with pytest.raises(InputError, match="shape"):
        small().with_record(np.zeros(3), 1.0)
