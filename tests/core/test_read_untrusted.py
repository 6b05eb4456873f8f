"""Files and JSON from outside: read whole, or refused in a few words."""

import json
import os
import tracemalloc

import pytest

from dpverify.adapters.literals import load_dataset
from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import DEEPEST, csv_text, parse_json, read_bytes, read_text, shortened
from dpverify.samples.sample_files import read_samples
from dpverify.scores.recorded_scores import read_scores


def test_regular_files_are_read(tmp_path):
    (tmp_path / "a").write_text("\ufeffé")
    assert read_text(tmp_path / "a") == "é"
    assert read_bytes(tmp_path / "a", largest=5) == "\ufeffé".encode()
    (tmp_path / "link").symlink_to("a")
    assert read_text(tmp_path / "link") == "é"


def test_anything_else_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, said in ((tmp_path / "pipe", "a pipe"), (tmp_path, "a folder"), ("/dev/zero", "a device")):
        with pytest.raises(ValueError, match=f"it is {said}, not a regular file"):
            read_bytes(path)
    (tmp_path / "large").write_bytes(b"x" * 11)
    with pytest.raises(ValueError, match="it has 11 bytes, and at most 10 are read"):
        read_bytes(tmp_path / "large", largest=10)
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "gone")


def test_a_small_file_takes_little_memory(tmp_path):
    """Else every limit of memory below the largest size would end the command."""
    path = tmp_path / "small"
    path.write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        assert read_bytes(path) == b"x" * 1000
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_a_file_that_grows_is_read_to_its_end_or_refused(tmp_path, monkeypatch):
    path = tmp_path / "growing"
    path.write_bytes(b"x" * 200_000)
    size = os.stat_result((0o100600, 0, 0, 1, 0, 0, 10, 0, 0, 0))
    monkeypatch.setattr(os, "fstat", lambda handle: size)
    assert read_bytes(path) == b"x" * 200_000
    with pytest.raises(ValueError, match="more than 100 bytes"):
        read_bytes(path, largest=100)


def test_nothing_stays_open(tmp_path):
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    for _ in range(10):
        with pytest.raises(ValueError, match="folder"):
            read_bytes(tmp_path)
    assert before is None or len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("value", [None, True, 1.5, 10**300, "[[", '"\\', {"a": [1, {}], "b": []}, [[[]]], "\\[" * 200])
def test_json_is_what_it_says(value):
    assert parse_json(json.dumps(value)) == value
    many = [value] * 200  # more brackets than may stand inside one another
    assert parse_json(json.dumps(many)) == many


@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_depth_is_bounded_to_the_value(pair):
    each = sum(sign in "[{" for sign in pair[0])
    most = DEEPEST // each
    parse_json(pair[0] * most + "1" + pair[1] * most)
    for depth in (most + 1, 1000, 100_000):
        with pytest.raises(ValueError, match=f"nested more than {DEEPEST} values deep"):
            parse_json(pair[0] * depth + "1" + pair[1] * depth)


def test_integers_beyond_doubles_are_refused():
    assert parse_json("-" + "9" * 308) == -int("9" * 308)
    for digits in (311, 5000, 10**6):
        with pytest.raises(ValueError, match=f"an integer of {digits} digits"):
            parse_json("[" + "9" * digits + "]")


def test_messages_are_short():
    assert shortened("abc") == "abc"
    assert shortened("x" * 100) == "x" * 40 + "..."


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
