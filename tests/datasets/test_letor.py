"""MQ2008: always with small files of the same shape, and with the real ones where they are."""

from __future__ import annotations

import hashlib
import lzma
from pathlib import Path

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets import files, letor
from dpverify.datasets.files import DataFile
from dpverify.datasets.letor import load_fold, load_mq2008, mq2008_available, parse_letor


def line(label: int, query: int, first: float) -> bytes:
    values = " ".join(f"{i}:{first if i == 1 else 0:.6f}" for i in range(1, 47))
    return f"{label} qid:{query} {values} #docid = GX1 inc = 1 prob = 0.1\n".encode()


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five parts of two queries each; the first feature tells the part."""
    folder = tmp_path / "mq2008"
    folder.mkdir()
    parts = {}
    for number in range(1, 6):
        text = line(0, 2 * number, number / 10) + line(2, 2 * number, 0.0) + line(1, 2 * number + 1, number / 10)
        (folder / f"S{number}.txt.xz").write_bytes(lzma.compress(text))
        parts[f"S{number}"] = DataFile(
            folder="mq2008", name=f"S{number}.txt", packing=".xz", sha256=hashlib.sha256(text).hexdigest()
        )
    monkeypatch.setattr(letor, "PARTS", parts)
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    return folder


def test_all_parts_in_order(toy: Path) -> None:
    assert mq2008_available()
    sessions = load_mq2008()
    assert (sessions.count, sessions.columns, sessions.name) == (10, 46, "mq2008")
    assert sessions.lengths.tolist() == [2, 1] * 5
    assert sessions.labels.tolist() == [0, 2, 1] * 5
    assert sessions.documents[::3, 0].tolist() == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert not sessions.documents[:, 1:].any()


def test_folds_turn_the_parts(toy: Path) -> None:
    """Three parts train, the next validates, the one after tests: the table of LETOR."""
    for number, parts in enumerate((("123", "4", "5"), ("234", "5", "1"), ("345", "1", "2"), ("451", "2", "3")), 1):
        fold = load_fold(number)
        for sessions, names in zip((fold.train, fold.validation, fold.test), parts, strict=True):
            assert sessions.documents[::3, 0].tolist() == [int(name) / 10 for name in names]
    with pytest.raises(InputError, match="fold 6"):
        load_fold(6)
    with pytest.raises(InputError, match="part 'S6'"):
        load_mq2008("S6")


def test_damaged_missing_and_split_files_are_one_line(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = (toy / "S2.txt.xz").read_bytes()[:-9]
    (toy / "S2.txt.xz").write_bytes(damaged)
    with pytest.raises(InputError, match=hashlib.sha256(damaged).hexdigest()):
        load_mq2008()
    (toy / "S2.txt.xz").unlink()
    assert not mq2008_available()
    with pytest.raises(InputError, match=r"S2\.txt\.xz is not here"):
        load_mq2008()
    text = line(0, 1, 0.0) + line(0, 2, 0.0) + line(0, 1, 0.0)
    (toy / "S2.txt").write_bytes(text)
    known = DataFile(folder="mq2008", name="S2.txt", sha256=hashlib.sha256(text).hexdigest())
    monkeypatch.setitem(letor.PARTS, "S2", known)
    with pytest.raises(InputError, match="two places"):
        load_mq2008("S2")
    monkeypatch.setenv(files.VARIABLE, str(toy / "none"))
    assert not mq2008_available()


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


if mq2008_available():  # a definition and no skip: without the files there is nothing to say

    def test_the_real_files() -> None:
        """Counts of the source, and of DISS section 6.6.1: 784 sessions of 5 to 121 documents, 339 of length 8."""
        sessions = load_mq2008()
        assert (sessions.count, sessions.columns, sessions.labels.size) == (784, 46, 15_211)
        assert (sessions.lengths.min(), sessions.lengths.max()) == (5, 121)
        assert np.count_nonzero(sessions.lengths == 8) == 339
        assert np.unique(sessions.labels, return_counts=True)[1].tolist() == [12_279, 2_001, 931]
        assert (sessions.documents.min(), sessions.documents.max()) == (0.0, 1.0)
        assert [load_mq2008(part).count for part in letor.PARTS] == [157, 157, 157, 157, 156]
        assert load_fold(1).train.count == 471
