"""Finding, checking and downloading files: every fault is one clear line."""

from __future__ import annotations

import functools
import gc
import gzip
import hashlib
import http.server
import lzma
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpverify.core.errors import InputError
from dpverify.datasets import files
from dpverify.datasets.files import Content, DataFile, find, folders, locate, parsed, read

CONTENT = b"+1 1:1\n-1 2:1\n" * 200
PACKED = lzma.compress(CONTENT)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


FILE = DataFile(folder="toy", name="toy", packing=".xz", sha256=digest(CONTENT), packed_sha256=digest(PACKED))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder and a cache of this test's own."""
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv(files.VARIABLE, str(tmp_path / "data"))
    (tmp_path / "data" / "toy").mkdir(parents=True)
    return tmp_path


def put(home: Path, name: str, content: bytes, *, below: str = "data") -> Path:
    path = home / below / "toy" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def message(caught: pytest.ExceptionInfo[InputError]) -> str:
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(("name", "content"), [("toy", CONTENT), ("toy.xz", PACKED)])
@pytest.mark.parametrize("below", ["data", "cache"])
def test_a_file_is_read_packed_or_not_from_either_folder(home: Path, name: str, content: bytes, below: str) -> None:
    path = put(home, name, content, below=below)
    assert read(FILE) == Content(file=FILE, path=path, data=CONTENT, sha256=digest(CONTENT))


def test_the_named_folder_comes_before_the_cache(home: Path) -> None:
    put(home, "toy", CONTENT, below="cache")
    named = put(home, "toy.xz", PACKED)
    assert find(FILE) == named


def test_without_the_variable_only_the_cache_is_looked_at(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home, "toy", CONTENT)
    monkeypatch.delenv(files.VARIABLE)
    assert folders() == (home / "cache",)
    with pytest.raises(InputError) as caught:
        read(FILE)
    assert "toy/toy.xz is not here" in message(caught)
    assert "set DPVERIFY_DATA to the folder that holds toy/" in message(caught)


def test_a_file_packed_again_is_the_same_file(home: Path) -> None:
    again = lzma.compress(CONTENT, preset=0)
    assert again != PACKED
    put(home, "toy.xz", again)
    assert read(FILE).data == CONTENT


def test_gzip_is_unpacked_too(home: Path) -> None:
    packed = gzip.compress(CONTENT)
    file = DataFile(folder="toy", name="toy", packing=".gz", sha256=digest(CONTENT))
    put(home, "toy.gz", packed)
    assert read(file).data == CONTENT
    put(home, "toy.gz", packed[:40])
    with pytest.raises(InputError, match="cannot be unpacked"):
        read(file)


def test_a_truncated_packed_file_names_both_checksums(home: Path) -> None:
    short = PACKED[:-10]
    path = put(home, "toy.xz", short)
    with pytest.raises(InputError) as caught:
        read(FILE)
    assert all(part in message(caught) for part in (str(path), digest(short), FILE.packed_sha256, "replace the file"))


@pytest.mark.parametrize("broken", [CONTENT[:-1], CONTENT.replace(b"+", b"-", 1), b""])
def test_truncated_and_altered_plain_files_name_both_checksums(home: Path, broken: bytes) -> None:
    path = put(home, "toy", broken)
    with pytest.raises(InputError) as caught:
        read(FILE)
    assert all(part in message(caught) for part in (str(path), digest(broken), FILE.sha256, "replace the file"))


def test_a_wrong_file_packed_well_is_caught_once_unpacked(home: Path) -> None:
    put(home, "toy.xz", lzma.compress(b"something else"))
    with pytest.raises(InputError, match="once unpacked") as caught:
        read(FILE)
    assert digest(b"something else") in message(caught)


def test_an_unreadable_file_says_why(home: Path) -> None:
    (home / "data" / "toy" / "toy").mkdir()
    with pytest.raises(InputError) as caught:
        read(FILE)
    assert "cannot be read" in message(caught)


def test_a_mistyped_variable_is_an_error_not_other_data(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home, "toy", CONTENT, below="cache")
    monkeypatch.setenv(files.VARIABLE, str(home / "dta"))
    with pytest.raises(InputError) as caught:
        read(FILE)
    assert "is no folder" in message(caught)


def test_a_file_known_by_its_id_in_git(home: Path) -> None:
    put(home, "toy", CONTENT)
    blob = hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT, usedforsecurity=False).hexdigest()
    for known in (blob, blob[:8]):
        assert read(DataFile(folder="toy", name="toy", git_blob=known)).sha256 == digest(CONTENT)
    other = "0" * 8
    with pytest.raises(InputError, match=rf"has git blob id {blob}; allowed: git blob id {other}\.\.\."):
        read(DataFile(folder="toy", name="toy", git_blob=other))
    with pytest.raises(InputError, match="has git blob id"):
        read(DataFile(folder="toy", name="toy"))  # known by nothing


def test_contents_are_parsed_once_and_again_when_a_file_changes(home: Path) -> None:
    put(home, "toy", CONTENT)
    seen = []

    def parse(contents: tuple[Content, ...]) -> int:
        seen.append(contents)
        return len(contents[0].data)

    assert [parsed((FILE,), parse), parsed((FILE,), parse)] == [len(CONTENT)] * 2
    assert len(seen) == 1
    (home / "data" / "toy" / "toy").unlink()
    put(home, "toy.xz", PACKED)
    assert parsed((FILE,), parse) == len(CONTENT)
    assert len(seen) == 2
    files.forget()
    parsed((FILE,), parse)
    assert len(seen) == 3


def test_unknown_packing_is_refused() -> None:
    with pytest.raises(InputError, match="packing"):
        DataFile(folder="toy", name="toy", packing=".zip", sha256="")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A web server on this machine, with the file and an altered one."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "toy").write_bytes(CONTENT)
    (site / "altered").write_bytes(CONTENT + b"x")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}/"
        running.shutdown()
        thread.join()
    gc.collect()  # requests leaves the socket of a refused answer to the collector


def downloadable(url: str) -> DataFile:
    return DataFile(folder="toy", name="toy", packing=".xz", sha256=FILE.sha256, url=url)


def test_a_download_happens_only_when_asked(home: Path, server: str) -> None:
    file = downloadable(server + "toy")
    with pytest.raises(InputError, match="download=True"):
        locate(file)
    found = read(file, download=True)
    assert found.data == CONTENT
    assert found.path == home / "cache" / "toy" / "toy"
    assert read(file).path == found.path


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("page", ["altered", "absent"])
def test_a_failed_download_is_one_line_and_leaves_nothing(home: Path, server: str, page: str) -> None:
    file = downloadable(server + page)
    with pytest.raises(InputError, match="could not be downloaded") as caught:
        read(file, download=True)
    assert file.sha256 in message(caught)
    assert find(file) is None
