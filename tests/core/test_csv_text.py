"""What is no UTF-8, or has no commas, is told by its name, at every door that reads CSV."""

from __future__ import annotations

import pytest

from dpverify.adapters.literals import load_dataset
from dpverify.core.csv_text import csv_text
from dpverify.core.errors import InputError
from dpverify.samples.sample_files import read_samples
from dpverify.scores.score_files import read_scores

FAULTS = [
    ("größe,b\n1,2\n".encode("latin-1"), "byte 0xf6 in line 1 is no UTF-8, and may be Latin-1"),
    ("a,b\n1,é\n".encode("cp1252"), "byte 0xe9 in line 2"),
    ("a,b\n1,2\n".encode("utf-16"), "text in UTF-16: save it as UTF-8"),
    ("a,b\n1,2\n".encode("utf-16-be"), "text in UTF-16"),
    ("a,b\n1,2\n".encode("utf-32"), "text in UTF-32"),
    (b"a;b\n1;2\n", "separates by ';': save it with commas"),
    (b"# made by us\n0,5;1\n", "separates by ';'"),
    (b"a\tb\n1\t2\n", "separates by a tab"),
]


@pytest.mark.parametrize(("content", "said"), FAULTS)
def test_a_fault_is_named_at_every_door(tmp_path, content, said):
    path = tmp_path / "d.csv"
    path.write_bytes(content)
    for read in (
        lambda: load_dataset(str(path), "--data"),
        lambda: read_samples(path, "--x"),
        lambda: read_scores(path),
    ):
        with pytest.raises(InputError, match=said) as caught:
            read()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "a,b;c\n1,2\n", '"a;b"\n1\n', "name\nx;y\n", "größe\n1\n", "1\n2\n"]
)
def test_what_is_as_it_should_be(text):
    assert csv_text(text.encode()) == csv_text(text.encode("utf-8-sig")) == text
