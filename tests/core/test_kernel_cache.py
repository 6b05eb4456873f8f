"""Compiled kernels find a folder wherever anything can be written to, and never one that others write to."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dpverify.core import kernel_cache
from dpverify.core.kernel_cache import VARIABLE, settle

POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX only")


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Neither the package nor the user's cache can be written to; the temporary directory is `tmp_path`."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(kernel_cache, "_numba_finds_one", lambda: False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    yield tmp_path
    os.environ.pop(VARIABLE, None)


def test_nothing_is_done_where_numba_finds_a_place_itself(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert settle() == ""
    assert VARIABLE not in os.environ


def test_the_users_word_stands(nowhere, monkeypatch):
    monkeypatch.setenv(VARIABLE, "/somewhere")
    assert settle() == ""
    assert os.environ[VARIABLE] == "/somewhere"


@POSIX
def test_a_private_folder_of_this_user(nowhere):
    line = settle()
    folder = nowhere / f"dpverify-kernels-{os.geteuid()}"
    assert str(folder) in line and VARIABLE in line and "\n" not in line
    assert os.environ[VARIABLE] == str(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    os.environ.pop(VARIABLE)
    assert str(folder) in settle()  # the second process finds it


@POSIX
@pytest.mark.parametrize("trap", ["link", "open", "file", "foreign"])
def test_a_folder_that_others_may_write_to_is_not_used(nowhere, trap, monkeypatch):
    folder = nowhere / f"dpverify-kernels-{os.geteuid()}"
    if trap == "link":
        (nowhere / "theirs").mkdir(mode=0o700)
        folder.symlink_to(nowhere / "theirs")
    elif trap == "file":
        folder.touch()
    else:
        folder.mkdir(mode=0o700)
        folder.chmod(0o777 if trap == "open" else 0o700)
    if trap == "foreign":
        found, user = os.stat_result, os.geteuid()
        monkeypatch.setattr(Path, "lstat", lambda self: found((stat.S_IFDIR | 0o700, 1, 1, 1, user + 1, 0, 0, 0, 0, 0)))
    assert "until this process ends" in settle()
    assert os.environ[VARIABLE] != str(folder)
    assert Path(os.environ[VARIABLE]).parent == nowhere


@POSIX
def test_no_temporary_directory_is_one_line_with_a_remedy(nowhere, monkeypatch):
    def none():
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr("tempfile.gettempdir", none)
    assert f"set {VARIABLE} to one" in settle()


def test_the_package_settles_it_and_stays_light():
    code = "import dpverify, sys; print(sorted({'numba', 'tempfile', 'numpy'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
