"""Files of draws: numbers, labels and rows come back as they were written, headers are none of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.samples.sample_files import read_samples


def read(tmp_path, text, name="f.csv"):
    (tmp_path / name).write_text(text)
    return read_samples(tmp_path / name, "--samples-d0")


def test_csv(tmp_path):
    assert read(tmp_path, "1\n2.5\n-inf\n").tolist() == [1.0, 2.5, -math.inf]
    assert math.isnan(read(tmp_path, "nan\n1\n")[0])
    assert read(tmp_path, "noisy\n1\n2\n").tolist() == [1.0, 2.0]  # a word above numbers is a header
    assert read(tmp_path, "yes\nno\n") == ["yes", "no"]  # a word above words is an output
    assert read(tmp_path, "Output\nyes\nno\n") == ["yes", "no"]
    assert read(tmp_path, "a,b\n1,x\n2,y\n") == [(1.0, "x"), (2.0, "y")]
    assert read(tmp_path, "1,2\n3,4\n").shape == (2, 2)
    assert read(tmp_path, "\ufeff1\r\n2\r\n").tolist() == [1.0, 2.0]
    assert len(read(tmp_path, "")) == 0


def test_other_files(tmp_path):
    np.save(tmp_path / "f.npy", np.arange(6.0).reshape(3, 2))
    assert read_samples(tmp_path / "f.npy", "--samples-d0").shape == (3, 2)
    assert read(tmp_path, '[1, "a", [2, 3]]', "f.json") == [1, "a", [2, 3]]
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"x": [1.0, 2.0]}).to_parquet(tmp_path / "f.parquet")
    assert read_samples(tmp_path / "f.parquet", "--samples-d0").tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("1,2\n3\n", "f.csv", "row 2 has 1 cells"),
        ("1,\n", "f.csv", "an empty cell"),
        ("{}", "f.json", "a dict"),
        ("x", "f.txt", "a file ending in"),
        ("x", "f.parquet", "cannot be read|neither pandas"),
    ],
)
def test_bad_files_are_one_line(tmp_path, text, name, said):
    with pytest.raises(InputError, match=said) as caught:
        read(tmp_path, text, name)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="no file"):
        read_samples(tmp_path / "gone.csv", "--samples-d0")
