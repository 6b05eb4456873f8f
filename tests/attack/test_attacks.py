"""The quick attacks of `make attack`, each as a test.

Commands are forked from a process that has imported all (`tests.forked`), but for those of attacks on how Python
starts; `make attack` starts every one anew.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests import forked
from tests.attack import command
from tests.attack.attack import Attack
from tests.attack.matrix import attacks

pytestmark = pytest.mark.ci

QUICK = [(group, attack) for group, attack in attacks() if attack.quick]
COLD = ("start up", "a package that dpverify needs cannot be imported", "a deleted working directory")
"""Groups, and names of attacks, whose commands are new processes."""


def started(
    words: Sequence[str], folder: Path, seconds: float, environment: Mapping[str, str], stdin: str | None
) -> tuple[int | None, str, str]:
    """What `command.started` does, by a fork where that can be."""
    if stdin is not None or words[:2] != [sys.executable, "-m"] or words[2] not in ("dpverify", "pytest"):
        return cold(words, folder, seconds, environment, stdin)
    try:
        done = forked.run(words, cwd=folder, env=environment, timeout=seconds)
    except subprocess.TimeoutExpired:
        command.kill(command.marked(environment[command.MARK]))
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


cold = command.started


@pytest.mark.parametrize(("group", "attack"), QUICK, ids=[f"{group}: {one.name}" for group, one in QUICK])
def test_attack(group: str, attack: Attack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if group not in COLD and attack.name not in COLD:
        monkeypatch.setattr(command, "started", started)
    outcome = attack.run(tmp_path)
    assert outcome.held, f"must happen: {attack.wanted}; happened: {outcome.happened}"
    assert outcome.lost == "nothing"


def test_who_a_forked_command_leaves_behind_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork in a session of its own, and a program."""
    (tmp_path / "leaves.py").write_text(
        "import os, subprocess, time\n"
        "subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n"
    )
    code = [sys.executable, tmp_path / "leaves.py"]
    monkeypatch.setattr(
        command, "started", lambda *given: (forked.run(code, cwd=given[1], env=given[3]).returncode, "", "")
    )
    ran = command.command([], tmp_path, 60.0, {}, None)
    assert (ran.status, ran.left) == (0, 2)
