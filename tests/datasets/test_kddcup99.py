"""KDD Cup 1999: always with a small file of the same shape, and with the real one where it is."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets import files, kddcup99
from dpverify.datasets.files import DataFile
from dpverify.datasets.kddcup99 import KDDCUP99


def line(duration: int, protocol: str, service: str, flag: str, mark: str) -> str:
    return ",".join([str(duration), protocol, service, flag, *["0"] * 36, "0.50", mark])


LINES = [
    line(0, "tcp", "http", "SF", "normal."),
    line(4, "udp", "dns", "SF", "smurf."),
    line(1, "tcp", "http", "S0", "neptune."),
    line(4, "udp", "dns", "SF", "smurf."),
]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a tiny file in the place of the real one."""
    text = "\n".join([*LINES, ""]).encode()
    (tmp_path / "kddcup99").mkdir()
    path = tmp_path / "kddcup99" / "kddcup.data_10_percent.gz"
    path.write_bytes(gzip.compress(text))
    known = DataFile(folder="kddcup99", name=path.stem, packing=".gz", sha256=hashlib.sha256(text).hexdigest())
    monkeypatch.setattr(kddcup99, "KDDCUP99", replace(KDDCUP99, files=(known,)))
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    return path


def test_one_column_a_value_in_the_fields_place(toy: Path) -> None:
    table = kddcup99.KDDCUP99.load()
    assert kddcup99.KDDCUP99.available()
    assert (table.rows, table.columns) == (4, 1 + 2 + 2 + 2 + 37 + 1)
    first = ["duration", "tcp", "udp", "dns", "http", "S0", "SF"]
    assert dict(zip(first, table.features[0], strict=False)) == {
        "duration": 0.0,
        "tcp": 1.0,
        "udp": 0.0,
        "dns": 0.0,
        "http": 1.0,
        "S0": 0.0,
        "SF": 1.0,
    }
    assert table.features[:, 0].tolist() == [0.0, 1.0, 0.25, 1.0]
    assert not table.features[:, 7:-1].any()  # constant fields, 0.50 among them
    assert table.features[:, -1].tolist() == [1.0] * 4
    assert table.labels.tolist() == [-1.0, 1.0, 1.0, 1.0]
    assert table.sha256 == hashlib.sha256("\n".join([*LINES, ""]).encode()).hexdigest()


def test_parts_lie_in_one_another_and_are_scaled_by_the_whole(toy: Path) -> None:
    whole = kddcup99.KDDCUP99.load()
    parts = [kddcup99.KDDCUP99.load(size) for size in (1, 3, 4)]
    for small, large in pairwise(parts):
        assert np.array_equal(small.features, large.features[: small.rows])
    assert sorted(parts[-1].features.tolist()) == sorted(whole.features.tolist())
    for size in (0, 5):
        with pytest.raises(InputError, match=f"{size} records"):
            kddcup99.KDDCUP99.load(size)


def test_what_is_damaged_malformed_or_missing_is_one_line(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def put(text: str) -> None:
        toy.write_bytes(gzip.compress(text.encode()))

    put("damaged")
    with pytest.raises(InputError, match=hashlib.sha256(b"damaged").hexdigest()):
        kddcup99.KDDCUP99.load()
    for text, message in (
        ("1,2,3", "form of KDD"),
        ("", "form of KDD"),
        (LINES[0].replace("0.50", "half"), "no number"),
    ):
        put(text)
        known = DataFile(
            folder="kddcup99", name=toy.stem, packing=".gz", sha256=hashlib.sha256(text.encode()).hexdigest()
        )
        monkeypatch.setattr(kddcup99, "KDDCUP99", replace(KDDCUP99, files=(known,)))
        with pytest.raises(InputError, match=message):
            kddcup99.KDDCUP99.load()
    toy.unlink()
    assert not kddcup99.KDDCUP99.available()
    with pytest.raises(InputError, match=r"kddcup\.data_10_percent\.gz is not here"):
        kddcup99.KDDCUP99.load()


if KDDCUP99.available():  # a definition and no skip: without the file there is nothing to say

    def test_the_real_file() -> None:
        table = KDDCUP99.load(20_000)  # the whole would be 470 MB
        assert (table.rows, table.columns) == (20_000, 119)
        assert table.majority == pytest.approx(0.8031, abs=0.02)
        assert (table.features.min(), table.features.max()) == (0.0, 1.0)
        named = table.features[:, 1:81].reshape(20_000, -1)
        assert (named[:, :3].sum(axis=1) == 1).all()  # protocol
        assert (named[:, 3:69].sum(axis=1) == 1).all()  # service
        assert (named[:, 69:80].sum(axis=1) == 1).all()  # flag
        table.normalised().need_norm(1.0)
