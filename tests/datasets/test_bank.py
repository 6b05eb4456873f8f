"""Bank Marketing: always with a small file of the same shape, and with the real one where it is."""

from __future__ import annotations

import hashlib
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets import bank, files
from dpverify.datasets.bank import BANK
from dpverify.datasets.files import DataFile

TEXT = b"".join(b" ".join([b"%d" % (20 + row), *[b"%d" % (row % 2)] * 32]) + b" \n" for row in range(3))


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a tiny file in the place of the real one."""
    (tmp_path / "bank").mkdir()
    path = tmp_path / "bank" / "BANK.dat.xz"
    path.write_bytes(lzma.compress(TEXT))
    known = DataFile(folder="bank", name="BANK.dat", packing=".xz", sha256=hashlib.sha256(TEXT).hexdigest())
    monkeypatch.setattr(bank, "BANK", replace(BANK, files=(known,)))
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    return path


def test_columns_labels_and_intercept(toy: Path) -> None:
    table = bank.BANK.load()
    assert bank.BANK.available()
    assert (table.rows, table.columns, table.name) == (3, 33, "bank")
    assert table.features[:, 0].tolist() == [0.0, 0.5, 1.0]
    assert table.features[1, 1:].tolist() == [1.0] * 32
    assert table.labels.tolist() == [-1.0, 1.0, -1.0]
    assert bank.BANK.load() is table


def test_a_damaged_or_missing_file_is_one_line(toy: Path) -> None:
    damaged = lzma.compress(TEXT + b"x")
    toy.write_bytes(damaged)
    with pytest.raises(InputError, match=hashlib.sha256(TEXT + b"x").hexdigest()):
        bank.BANK.load()
    toy.unlink()
    assert not bank.BANK.available()
    with pytest.raises(InputError, match=r"BANK\.dat\.xz is not here.*DPVERIFY_DATA"):
        bank.BANK.load()


if BANK.available():  # a definition and no skip: without the file there is nothing to say

    def test_the_real_file() -> None:
        table = BANK.load()
        assert (table.rows, table.columns) == (45_211, 33)
        assert table.majority == pytest.approx(0.8830, abs=5e-5)
        assert table.features.min() == 0.0
        assert table.features[:, :-1].max(axis=0).tolist() == [1.0] * 32
        # The first record of bank-full.csv: 58 years of 18..95, balance 2143 of -8019..102127, duration 261 of 0..4918.
        assert table.features[0, [0, 18, 24]] == pytest.approx([40 / 77, 10_162 / 110_146, 261 / 4918])
        assert np.flatnonzero(np.isin(table.features, (0.0, 1.0)).all(axis=0)).size == 26  # and the intercept
