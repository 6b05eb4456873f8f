"""MQ2008: always with small files of the same shape, and with the real ones where they are."""

from __future__ import annotations

import hashlib
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets import files, letor
from dpverify.datasets.files import DataFile
from dpverify.datasets.letor import MQ2008, parse_letor


def line(label: int, query: int, first: float) -> bytes:
    values = " ".join(f"{i}:{first if i == 1 else 0:.6f}" for i in range(1, 47))
    return f"{label} qid:{query} {values} #docid = GX1 inc = 1 prob = 0.1\n".encode()


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five parts of two queries each; the first feature tells the part."""
    folder = tmp_path / "mq2008"
    folder.mkdir()
    parts = []
    for number in range(1, 6):
        text = line(0, 2 * number, number / 10) + line(2, 2 * number, 0.0) + line(1, 2 * number + 1, number / 10)
        (folder / f"S{number}.txt.xz").write_bytes(lzma.compress(text))
        sha256 = hashlib.sha256(text).hexdigest()
        parts.append(DataFile(folder="mq2008", name=f"S{number}.txt", packing=".xz", sha256=sha256))
    monkeypatch.setattr(letor, "MQ2008", replace(MQ2008, files=tuple(parts)))
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    return folder


def test_all_parts_in_order(toy: Path) -> None:
    assert letor.MQ2008.available()
    sessions = letor.MQ2008.load()
    assert (sessions.count, sessions.columns, sessions.name) == (10, 46, "mq2008")
    assert sessions.lengths.tolist() == [2, 1] * 5
    assert sessions.labels.tolist() == [0, 2, 1] * 5
    assert sessions.documents[::3, 0].tolist() == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert not sessions.documents[:, 1:].any()


def test_folds_turn_the_parts(toy: Path) -> None:
    """Three parts train, the next validates, the one after tests: the table of LETOR."""
    for number, parts in enumerate((("123", "4", "5"), ("234", "5", "1"), ("345", "1", "2"), ("451", "2", "3")), 1):
        fold = letor.MQ2008.fold(number)
        for sessions, names in zip((fold.train, fold.validation, fold.test), parts, strict=True):
            assert sessions.documents[::3, 0].tolist() == [int(name) / 10 for name in names]
    with pytest.raises(InputError, match="fold 6"):
        letor.MQ2008.fold(6)
    with pytest.raises(InputError, match="part 'S6'"):
        letor.MQ2008.load("S6")


def test_damaged_missing_and_split_files_are_one_line(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = (toy / "S2.txt.xz").read_bytes()[:-9]
    (toy / "S2.txt.xz").write_bytes(damaged)
    with pytest.raises(InputError, match=hashlib.sha256(damaged).hexdigest()):
        letor.MQ2008.load()
    (toy / "S2.txt.xz").unlink()
    assert not letor.MQ2008.available()
    with pytest.raises(InputError, match=r"S2\.txt\.xz is not here"):
        letor.MQ2008.load()
    text = line(0, 1, 0.0) + line(0, 2, 0.0) + line(0, 1, 0.0)
    (toy / "S2.txt").write_bytes(text)
    known = DataFile(folder="mq2008", name="S2.txt", sha256=hashlib.sha256(text).hexdigest())
    monkeypatch.setattr(letor, "MQ2008", replace(MQ2008, files=(known,)))
    with pytest.raises(InputError, match="two places"):
        letor.MQ2008.load("S2")
    monkeypatch.setenv(files.VARIABLE, str(toy / "none"))
    assert not letor.MQ2008.available()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "line 1"),
        (b"0 qid:1 1:0.5 2:1\n0 qid:1 1:0.5\n", "line 2"),
        (b"0 qid:1 2:0.5 1:1\n", "out of order"),
        (b"0 qid:1 1:x 2:1\n", "could not convert"),
    ],
)
def test_lines_that_are_no_documents(text: bytes, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_letor(text, columns=2, name="toy")


if MQ2008.available():  # a definition and no skip: without the files there is nothing to say

    def test_the_real_files() -> None:
        """Counts of the source, and of DISS section 6.6.1: 784 sessions of 5 to 121 documents, 339 of length 8."""
        sessions = MQ2008.load()
        assert (sessions.count, sessions.columns, sessions.labels.size) == (784, 46, 15_211)
        assert (sessions.lengths.min(), sessions.lengths.max()) == (5, 121)
        assert np.count_nonzero(sessions.lengths == 8) == 339
        assert np.unique(sessions.labels, return_counts=True)[1].tolist() == [12_279, 2_001, 931]
        assert (sessions.documents.min(), sessions.documents.max()) == (0.0, 1.0)
        assert [MQ2008.load(part).count for part in ("S1", "S2", "S3", "S4", "S5")] == [157, 157, 157, 157, 156]
        assert MQ2008.fold(1).train.count == 471
