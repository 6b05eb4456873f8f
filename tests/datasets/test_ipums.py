"""IPUMS extracts: with small files in the place of those that only users have."""

from __future__ import annotations

import hashlib
import lzma
import subprocess
from pathlib import Path

import pytest

from dpverify.core.errors import InputError
from dpverify.datasets import files
from dpverify.datasets.ipums import EXTRACTS, extract

TEXT = b"1 0 0\n2 1 1\n3 0 1\n"
BLOB = hashlib.sha1(b"blob 18\0" + TEXT, usedforsecurity=False).hexdigest()
TOY = extract("US", git_blob=BLOB[:9], rows=3, columns=2)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a tiny file in the place of IPUMS-US."""
    (tmp_path / "ipums").mkdir()
    path = tmp_path / "ipums" / "IPUMS-US.dat"
    path.write_bytes(TEXT)
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    return path


def test_a_known_file_is_read_plain_or_packed(toy: Path) -> None:
    for packed in (False, True):
        if packed:
            toy.unlink()
            toy.with_name("IPUMS-US.dat.xz").write_bytes(lzma.compress(TEXT))
        table = TOY.load()
        assert TOY.available()
        assert table.features.tolist() == [[0.0, 0.0, 1.0], [0.5, 1.0, 1.0], [1.0, 0.0, 1.0]]
        assert table.labels.tolist() == [-1.0, 1.0, 1.0]
        assert table.sha256 == hashlib.sha256(TEXT).hexdigest()


def test_the_id_is_gits(toy: Path) -> None:
    try:
        said = subprocess.run(["git", "hash-object", str(toy)], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        return  # no git here: the fixture's own sum stands
    assert said.strip() == BLOB


def test_another_extract_is_refused_with_both_ids(toy: Path) -> None:
    other = TEXT + b"4 1 0\n"
    toy.write_bytes(other)
    blob = hashlib.sha1(b"blob 24\0" + other, usedforsecurity=False).hexdigest()
    with pytest.raises(InputError, match=f"{blob}.*{BLOB[:9]}"):
        TOY.load()


def test_what_is_missing_or_broken_is_one_line(toy: Path) -> None:
    brazil = EXTRACTS[0]
    assert not brazil.available()
    with pytest.raises(InputError, match=r"IPUMS-BR\.dat\.xz is not here"):
        brazil.load()
    toy.unlink()
    toy.with_name("IPUMS-US.dat.xz").write_bytes(lzma.compress(TEXT)[:-9])
    with pytest.raises(InputError, match="cannot be unpacked"):
        TOY.load()


def test_the_extracts_are_those_of_the_papers() -> None:
    """RSGD, Table 1, which counts the intercept."""
    assert {each.name: (each.rows, each.columns) for each in EXTRACTS} == {
        "ipums-br": (38_000, 53),
        "ipums-us": (40_000, 58),
    }
