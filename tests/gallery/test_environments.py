"""Environments: made once, found again, and a failure is one line that leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpverify.gallery import environments
from dpverify.gallery.environments import NoEnvironmentError, environment_for, why_not
from tests.gallery.installed import is_there

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"

SAID = {
    "ERROR: No matching distribution found for other==2.0": "other==2.0 cannot be installed: the package index has no",
    "WARNING: Retrying after NewConnectionError('https://host/simple')": "the package index cannot be reached",
    "noise\nERROR: broken at https://host/simple/lib and more": "installed: ERROR: broken at (address)",
    "ERROR: Could not install packages: [Errno 28] No space left on device": "no space left on the disk",
    "": "lib==1.0 cannot be installed: pip failed",
}


@pytest.mark.parametrize("said", SAID)
def test_pips_complaint_in_one_line(said: str) -> None:
    found = why_not(said, ["lib==1.0", "other==2.0"])
    assert SAID[said] in found and "host" not in found and "\n" not in found


def test_a_python_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironmentError, match=r"needs Python 2\.1, and only"):
        environment_for(["lib==1.0"], ["2.1"], folder=tmp_path)


def installing(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of installations that are made at once."""
    ran: list[list[str]] = []

    def run(command: list[str], _pins: list[str]) -> None:
        ran.append(command)
        if "venv" in command:
            (Path(command[-1]) / "bin").mkdir(parents=True)
            (Path(command[-1]) / "bin/python").touch()

    monkeypatch.setattr(environments, "_run", run)
    return ran


def test_made_once_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = installing(monkeypatch)
    first = environment_for(["lib==1.0", "other==2.0"], [HERE], folder=tmp_path)
    again = environment_for(["lib==1.0", "other==2.0"], [HERE], folder=tmp_path)
    other = environment_for(["lib==1.0", "other==2.1"], [HERE], folder=tmp_path)
    assert first.python == again.python and again.seconds == 0.0 and first.python != other.python
    assert ran[1][-3:] == ["--no-deps", "lib==1.0", "other==2.0"] and len(ran) == 4
    assert len(list(tmp_path.iterdir())) == 2


def test_a_half_made_one_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installing(monkeypatch)
    made = environment_for(["lib==1.0"], [HERE], folder=tmp_path)
    (made.python.parents[1] / environments.WHOLE).unlink()
    assert not is_there(["lib==1.0"], [HERE], folder=tmp_path)
    assert environment_for(["lib==1.0"], [HERE], folder=tmp_path).seconds > 0.0
    assert is_there(["lib==1.0"], [HERE], folder=tmp_path)


def test_what_a_killed_installation_left_goes_with_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installing(monkeypatch)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    left, at_work = (tmp_path / f"lib-1.0{environments.PART}{number}" for number in (ended.pid, os.getpid()))
    for each in (left, at_work):
        each.mkdir()
    environment_for(["lib==1.0"], [HERE], folder=tmp_path)
    assert not left.exists()
    assert at_work.exists()


def test_an_interpreter_that_sleeps_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sleeper = tmp_path / "python2.1"
    sleeper.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/pid\nwait\n")
    sleeper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(environments, "ANSWER", 0.5)
    with pytest.raises(NoEnvironmentError, match=r"needs Python 2\.1"):
        environment_for(["lib==1.0"], ["2.1"], folder=tmp_path)
    place = Path("/proc") / (tmp_path / "pid").read_text().strip() / "stat"
    for _ in range(400):  # killed; where the machine is busy it ends a little later
        try:
            state = place.read_text().rpartition(")")[2].split()[0]
        except OSError:
            state = "gone"
        if state in ("Z", "X", "gone"):  # nobody may reap it here
            return
        time.sleep(0.05)
    raise AssertionError(state)


@pytest.mark.ci
def test_what_cannot_be_installed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(NoEnvironmentError, match="has no file of it for this Python"):
        environment_for(["dpverify-no-such-library==1.0"], [HERE], folder=tmp_path)
    assert not list(tmp_path.iterdir())
