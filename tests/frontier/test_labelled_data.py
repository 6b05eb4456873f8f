import numpy as np
import pandas as pd
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.frontier.labelled_data import labelled


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 30),
            "town": rng.choice(["x", "y", "z"], 30),
            "paid": rng.choice(["no", "yes"], 30),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_a_registered_table_in_the_unit_ball():
    table, classes, said = labelled("breast-cancer")
    assert (table.rows, classes) == (569, 2)
    assert np.linalg.norm(table.features, axis=1).max() <= 1 + 1e-12
    assert "norm 1" in said


def test_a_csv_with_text_columns_and_text_labels(people):
    table, classes, said = labelled(str(people), label="paid")
    assert table.columns == 1 + 3 + 1
    assert classes == 2
    assert set(table.labels) == {-1.0, 1.0}
    frame = pd.read_csv(people)
    assert ((table.labels > 0) == (frame["paid"] == "yes")).all()
    assert "label yes is +1" in said
    again, _, _ = labelled(str(people), label="-1")
    assert (again.labels == table.labels).all()


def test_numbers_arrays_and_classes(tmp_path):
    numbers = np.random.default_rng(1).normal(size=(20, 3))
    numbers[:, 2] = np.arange(20) % 2
    np.save(tmp_path / "n.npy", numbers)
    table, classes, _ = labelled(str(tmp_path / "n.npy"), label="2")
    assert (table.columns, classes) == (3, 2)
    table, classes, _ = labelled((numbers[:, :2], np.arange(20) % 4 + 5))
    assert classes == 4
    assert set(table.labels) == {0.0, 1.0, 2.0, 3.0}
    table, classes, _ = labelled(Table(features=np.eye(12), labels=np.arange(12.0) % 2))
    assert set(table.labels) == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("data", "label", "says"),
    [
        ("no-such-set", None, "no-such-set"),
        ("breast-cancer", "age", "for a file only"),
        ("simulated-sessions", None, "labelled records"),
        ("missing.csv", "x", "no file missing.csv; allowed: an existing .csv, .parquet or .npy file"),
        (3, None, "type int"),
        ((np.eye(12), np.ones(12)), None, "one label only"),
        ((np.eye(12), np.arange(11)), None, "another number of records"),
        ((np.full((12, 1), np.nan), np.arange(12) % 2), None, "missing or not finite"),
        ((np.eye(5), np.arange(5) % 2), None, "at least 10"),
        ((np.eye(120), np.arange(120)), None, "120 different labels"),
    ],
)
def test_bad_data_are_one_line(data, label, says):
    with pytest.raises(InputError, match=says) as caught:
        labelled(data, label=label)
    assert "\n" not in str(caught.value)


def test_a_file_needs_a_label_that_it_has(people):
    with pytest.raises(InputError, match="--label COLUMN"):
        labelled(str(people))
    with pytest.raises(InputError, match="age, town, paid"):
        labelled(str(people), label="wage")


def test_data_that_are_not_here_say_where_to_put_them(monkeypatch, tmp_path):
    monkeypatch.setenv("DPVERIFY_DATA", str(tmp_path))
    monkeypatch.setattr("dpverify.datasets.files.cache_folder", lambda: tmp_path / "cache")
    with pytest.raises(InputError, match=r"adult/a9a.xz is not here.*set DPVERIFY_DATA"):
        labelled("adult")
