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
        (np.zeros((2, 2)), np.array([1.0, np.inf]), "labels that are not finite"),
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


def test_a_model_says_which_labels_it_takes() -> None:
    table = Table(features=np.zeros((3, 1)), labels=np.array([0.0, 2.0, 1.0]))
    table.need_labels(3)
    with pytest.raises(InputError, match=r"label 2; allowed: labels 0 \.\. 1"):
        table.need_labels(2)
    with pytest.raises(InputError, match=r"label 0; allowed: labels -1 and \+1; map 0/1 labels with 2 \* labels - 1"):
        table.need_labels()
    with pytest.raises(InputError, match=r"label 0\.5"):
        Table(features=np.zeros((1, 1)), labels=np.array([0.5])).need_labels(3)


def test_rows_beyond_the_promised_norm_are_refused_and_can_be_scaled() -> None:
    table = Table(features=np.array([[3.0, 4.0], [0.3, 0.4]]), labels=np.array([1.0, -1.0]))
    table.need_norm(5.0)
    with pytest.raises(InputError, match="record 0 has L2 norm 5"):
        table.need_norm(1.0)
    scaled = table.normalised()
    scaled.need_norm(1.0)
    assert scaled.features.tolist() == [[0.6, 0.8], [0.3, 0.4]]


def test_a_replaced_record() -> None:
    other = small().replaced(1, np.array([9.0, 8.0]), 1.0)
    assert other.features.tolist() == [[0.0, 1.0], [9.0, 8.0], [4.0, 5.0]]
    assert other.labels.tolist() == [1.0, 1.0, 1.0]
    assert small().features[1].tolist() == [2.0, 3.0]
    with pytest.raises(InputError, match="record 3"):
        small().replaced(3, np.zeros(2), 1.0)
