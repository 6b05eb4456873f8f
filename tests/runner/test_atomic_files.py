import os
import stat
from pathlib import Path

import pytest

from dpverify.core.errors import InputError
from dpverify.runner import atomic_files
from dpverify.runner.atomic_files import safe_name, write_atomically


def test_files_are_written_whole(tmp_path):
    path = write_atomically(tmp_path / "new" / "report.md", "text")
    assert path.read_text() == "text"
    assert [item.name for item in path.parent.iterdir()] == ["report.md"]


def test_nothing_is_left_half_written(tmp_path, monkeypatch):
    target = tmp_path / "report.md"
    target.write_text("before")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_files.os, "fdopen", full)
    with pytest.raises(InputError, match="No space left"):
        write_atomically(target, "after")
    assert target.read_text() == "before"
    assert [item.name for item in tmp_path.iterdir()] == ["report.md"]


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        write_atomically(tmp_path / "file" / "report.md", "text")


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o027, 0o640)])
def test_new_files_have_what_the_umask_leaves_them(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        path = write_atomically(tmp_path / "a.json", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = write_atomically(tmp_path / "a.json", "text")
    path.chmod(0o600)
    assert stat.S_IMODE(write_atomically(path, "more").stat().st_mode) == 0o600
    assert path.read_text() == "more"


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="cannot write"):  # nobody reads it
        write_atomically(pipe, "text")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_device_is_one_line_and_stays_a_device():
    with pytest.raises(InputError, match="No space left"):
        write_atomically(Path("/dev/full"), "text")
    write_atomically(Path("/dev/null"), "text")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode) and stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_names_of_files_hold_no_separators():
    assert safe_name("a/b c:d=1.5").startswith("a_b_c_d=1.5.")
    assert safe_name("LAPLACE-eps=1.5.a") == "LAPLACE-eps=1.5.a"


@pytest.mark.parametrize(
    "text", ["a/b", "a b", "a\\b", ".", "..", "../../etc/passwd", ".hidden", "x" * 5000, "\u00e9" * 400, "nul\0"]
)
def test_names_that_had_to_be_changed_are_like_no_other_name(tmp_path, text):
    """a/b and a_b would else be one file, and the one record overwrite the other."""
    name = safe_name(text)
    path = write_atomically(tmp_path / "records" / f"{name}.json", "text")
    assert path.resolve().parent == (tmp_path / "records").resolve()
    assert not name.startswith(".")
    others = {"a_b", f"{text}x", f"_{text}", text.replace("/", "_")} - {text}
    assert name not in map(safe_name, others)
