"""The command line under attack: run in a process of its own, with a limit, and whoever it leaves behind is counted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = "DPVERIFY_ATTACK"
"""An environment variable that all descendants of a command inherit, and are found by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a command went.

    Attributes
    ----------
    status : int or None
        Its exit status (negative for a signal); None when it was still running after the limit and was killed.
    left : int
        Processes that still lived two seconds after it had ended (they have been killed since).
    folders : tuple of str
        What it left in the temporary directory.
    """

    status: int | None
    out: str
    err: str
    seconds: float
    left: int
    folders: tuple[str, ...]

    @property
    def line(self) -> str:
        """The last line on standard error, or else on standard output."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[-1] if lines else ""

    @property
    def told(self) -> str:
        """Exit status and last line, for the table."""
        status = "still running at the limit" if self.status is None else f"status {self.status}"
        return f"{status}: {self.line}" if self.line else status

    @property
    def clean(self) -> bool:
        """No traceback, nobody left behind, no folder left behind."""
        return "Traceback" not in self.err + self.out and not self.left and not self.folders


def dpverify(
    *words: str,
    folder: Path,
    seconds: float = 60.0,
    environment: Mapping[str, str] | None = None,
    stdin: str | None = None,
) -> Ran:
    """``dpverify WORDS`` with `folder` as working directory, and temporary files in a folder beside it."""
    return command([sys.executable, "-m", "dpverify", *words], folder, seconds, environment or {}, stdin)


def command(
    words: Sequence[str], folder: Path, seconds: float, environment: Mapping[str, str], stdin: str | None
) -> Ran:
    """Any command, as `dpverify`."""
    temporary, mark = folder / ".tmp", uuid.uuid4().hex
    temporary.mkdir(exist_ok=True)
    begun = time.monotonic()
    given = {**os.environ, "TMPDIR": str(temporary), MARK: mark, **environment}
    status, out, err = started(words, folder, seconds, given, stdin)
    spent = time.monotonic() - begun
    left = _left(mark) if status is not None else []
    return Ran(
        status=status,
        out=out,
        err=err,
        seconds=spent,
        left=len(left),
        folders=tuple(sorted(path.name for path in temporary.iterdir())),
    )


def started(
    words: Sequence[str], folder: Path, seconds: float, environment: Mapping[str, str], stdin: str | None
) -> tuple[int | None, str, str]:
    """Status and texts of a new process; no status where it was killed at the limit."""
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(stdin, timeout=seconds)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        kill(marked(environment[MARK]))
        return None, *process.communicate()


def marked(mark: str) -> list[int]:
    """Processes with this mark in their environment (Linux)."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
    return found


def _left(mark: str) -> list[int]:
    """Who still lives two seconds later, killed now."""
    until = time.monotonic() + 2.0
    while (found := marked(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    kill(found)
    return found


def kill(processes: Sequence[int]) -> None:
    """End them at once."""
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
