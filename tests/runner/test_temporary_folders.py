"""Temporary folders are gone with their owner, at the latest when somebody sweeps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile

import pytest

from dpverify.runner.temporary_folders import LOCK, PREFIX, remove_abandoned_folders, temporary_folder


@pytest.fixture(autouse=True)
def _temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_it_is_there_meanwhile_and_no_sweep_takes_it(tmp_path):
    with temporary_folder() as folder:
        remove_abandoned_folders()
        assert folder.is_dir()
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX systems")
def test_that_of_a_process_that_was_killed_is_swept(tmp_path):
    script = "import time\nfrom dpverify.runner.temporary_folders import temporary_folder\n"
    script += "with temporary_folder(): print(1, flush=True), time.sleep(60)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        remove_abandoned_folders()
        assert len(list(tmp_path.iterdir())) == 1
        other.send_signal(signal.SIGKILL)
        other.wait()
    remove_abandoned_folders()
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_ours_stays(tmp_path):
    """Somebody's folder of that name, and a link to one of ours."""
    theirs = tmp_path / f"{PREFIX}of-somebody"
    theirs.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / LOCK).touch()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    remove_abandoned_folders()
    assert theirs.is_dir()
    assert (elsewhere / LOCK).exists()
