import json

import numpy as np
import pytest

from dpverify.adapters.literals import load_dataset
from dpverify.core.errors import InputError


def test_literals_are_plain_lists():
    assert load_dataset("[1, [2, 3]]", "--d0") == [1, [2, 3]]


def test_files_by_suffix(tmp_path):
    (tmp_path / "d.json").write_text(json.dumps([1, 2]))
    np.save(tmp_path / "d.npy", np.arange(3))
    (tmp_path / "d.csv").write_text("1,2\n3,4\n")
    assert load_dataset(str(tmp_path / "d.json"), "--d0") == [1, 2]
    assert load_dataset(str(tmp_path / "d.npy"), "--d0").tolist() == [0, 1, 2]
    assert load_dataset(str(tmp_path / "d.csv"), "--d0").shape == (2, 2)


def test_bad_data_is_one_line(tmp_path):
    with pytest.raises(InputError, match="neither JSON"):
        load_dataset("[1,2", "--d0")
    with pytest.raises(InputError, match="no file"):
        load_dataset("gone.json", "--d1")
    (tmp_path / "cut.npy").write_bytes(b"\x93NUMPY\x01")
    with pytest.raises(InputError, match="cannot be read"):
        load_dataset(str(tmp_path / "cut.npy"), "--d1")


@pytest.mark.parametrize(("text", "named"), [("[NaN]", "nan"), ('{"a": [1, [-Infinity]]}', "-inf"), ("1e999", "inf")])
def test_json_with_a_number_that_is_not_finite_names_it(text, named, tmp_path):
    (tmp_path / "d.json").write_text(text)
    for given in (text, str(tmp_path / "d.json")):
        with pytest.raises(InputError, match=f"--d1 holds {named}; allowed: finite numbers"):
            load_dataset(given, "--d1")


def test_missing_values_in_arrays_stay(tmp_path):
    np.save(tmp_path / "d.npy", np.array([1.0, np.nan]))
    assert np.isnan(load_dataset(str(tmp_path / "d.npy"), "--d0")[1])


def test_no_pickle_is_ever_loaded(tmp_path):
    np.save(tmp_path / "evil.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="cannot be read"):
        load_dataset(str(tmp_path / "evil.npy"), "--d0")


def test_parquet_of_more_values_than_are_read_is_one_line(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"a": [0] * 100, "b": [1] * 100}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr("dpverify.adapters.literals.MOST_VALUES", 199)
    with pytest.raises(InputError, match=r"a table of 100 rows and 2 columns.*at most 199 values"):
        load_dataset(str(tmp_path / "t.parquet"), "--data")
