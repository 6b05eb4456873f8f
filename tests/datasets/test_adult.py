"""Adult: always with small files of the same shape, and with the real ones where they are."""

from __future__ import annotations

import hashlib
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets import adult, files
from dpverify.datasets.adult import ADULT, parse_libsvm
from dpverify.datasets.files import DataFile

TEXTS = {"a9a": b"-1 3:1 123:1 \n+1 1:1\n-1 2:1\n", "a9a.t": b"+1 122:1 \n"}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with two tiny files in the place of the real ones."""
    folder = tmp_path / "adult"
    folder.mkdir()
    known = []
    for name, text in TEXTS.items():
        (folder / f"{name}.xz").write_bytes(lzma.compress(text))
        known.append(DataFile(folder="adult", name=name, packing=".xz", sha256=hashlib.sha256(text).hexdigest()))
    monkeypatch.setattr(adult, "ADULT", replace(ADULT, files=tuple(known)))
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    return folder


def test_both_files_in_order_with_an_intercept(toy: Path) -> None:
    assert adult.ADULT.available()
    table = adult.ADULT.load()
    assert (table.rows, table.columns, table.name) == (4, 124, "adult")
    assert table.labels.tolist() == [-1, 1, -1, 1]
    assert [np.flatnonzero(row).tolist() for row in table.features] == [[2, 122, 123], [0, 123], [1, 123], [121, 123]]
    assert table.sha256 == "+".join(hashlib.sha256(text).hexdigest() for text in TEXTS.values())


def test_it_is_parsed_once_and_again_when_a_file_changes(toy: Path) -> None:
    first = adult.ADULT.load()
    assert adult.ADULT.load() is first
    (toy / "a9a.xz").write_bytes(lzma.compress(TEXTS["a9a"], check=lzma.CHECK_NONE))  # another size
    assert adult.ADULT.load() is not first
    assert np.array_equal(adult.ADULT.load().features, first.features)


def test_a_damaged_file_is_one_line(toy: Path) -> None:
    damaged = (toy / "a9a.t.xz").read_bytes()[:-9]
    (toy / "a9a.t.xz").write_bytes(damaged)
    assert adult.ADULT.available()
    with pytest.raises(InputError) as caught:
        adult.ADULT.load()
    assert hashlib.sha256(damaged).hexdigest() in str(caught.value)
    assert "a9a.t" in str(caught.value)


def test_a_missing_file_says_what_to_do(toy: Path) -> None:
    (toy / "a9a.t.xz").unlink()
    assert not adult.ADULT.available()
    with pytest.raises(InputError, match=r"a9a\.t\.xz is not here.*DPVERIFY_DATA"):
        adult.ADULT.load()


def test_a_mistyped_variable_is_not_available(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(files.VARIABLE, str(toy / "none"))
    assert not adult.ADULT.available()


if ADULT.available():  # a definition and no skip: without the files there is nothing to say

    def test_the_real_files() -> None:
        files.forget()
        table = ADULT.load()
        assert (table.rows, table.columns) == (48_842, 124)
        assert table.majority == pytest.approx(0.7607, abs=5e-5)
        assert set(np.unique(table.features)) == {0.0, 1.0}
        assert (table.features[:, -1] == 1).all()
        assert table.features[:, :-1].sum() == 677_323
        assert np.flatnonzero(table.features[0]).tolist() == [
            2,
            10,
            13,
            18,
            38,
            41,
            54,
            63,
            66,
            72,
            74,
            75,
            79,
            82,
            123,
        ]


def slow_parse(text: str, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The naive twin: line by line, pair by pair."""
    lines = [line.split() for line in text.splitlines()]
    features = np.zeros((len(lines), columns))
    for row, parts in enumerate(lines):
        for pair in parts[1:]:
            index, value = pair.split(":")
            features[row, int(index) - 1] = float(value)
    return features, np.array([float(parts[0]) for parts in lines])


def test_a_small_text() -> None:
    features, labels = parse_libsvm(b"+1 2:1 4:0.5 \n-1\n-1 1:-3e-2", columns=4)
    assert features.tolist() == [[0, 1, 0, 0.5], [0, 0, 0, 0], [-0.03, 0, 0, 0]]
    assert labels.tolist() == [1, -1, -1]


records = st.tuples(
    st.sampled_from(["+1", "-1"]),
    st.dictionaries(st.integers(1, 9), st.floats(-1e6, 1e6).map(repr), max_size=9),
)


@given(st.lists(records, min_size=1, max_size=12), st.booleans())
def test_it_agrees_with_the_naive_twin(rows: list[tuple[str, dict[int, str]]], blank: bool) -> None:
    lines = [" ".join([label, *(f"{i}:{v}" for i, v in sorted(pairs.items()))]) + " " * blank for label, pairs in rows]
    text = "\n".join(lines) + "\n"
    features, labels = parse_libsvm(text.encode(), columns=9)
    expected = slow_parse(text, 9)
    assert np.array_equal(features, expected[0])
    assert np.array_equal(labels, expected[1])


@pytest.mark.parametrize(
    "text", [b"", b"  \n", b"+1 2:1 3\n", b"+1 2:1\n\n-1 1:1\n", b"+1 0:1\n", b"+1 5:1\n", b"+1 1.5:1\n"]
)
def test_malformed_texts_are_refused(text: bytes) -> None:
    with pytest.raises(InputError):
        parse_libsvm(text, columns=4, name="toy")


@pytest.mark.parametrize("text", [b"+1 a:1\n", b"# comment\n+1 1:1\n", b"yes 1:1\n"])
def test_words_are_refused(text: bytes) -> None:
    with pytest.raises(InputError, match="LIBSVM"):
        parse_libsvm(text, columns=4, name="toy")
