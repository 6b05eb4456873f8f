"""The process that the shell sees: it runs no user code, prints the command's output, and decides the exit status.

The command runs in a watched process (`dpverify.runner.watched_process`). Its text for standard output is sent here at
its end. Its own standard output is standard error, so that printed text of subjects, even from C code, does not mix
with results.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any

from dpverify.core.errors import DpverifyError, one_line
from dpverify.runner.process_tree import adopt_orphans, kill_children
from dpverify.runner.watched_process import WatchedProcess

BROKEN_PIPE = 141
"""A shell's exit status for a program that writes to a closed pipe (128 plus the signal's number)."""

SHOW_CURSOR = "\x1b[?25h"


def run_watched_command() -> int:
    """Run the command; returns the exit status."""
    _open_all()
    adopt_orphans()  # adopts processes of a subject that ended the watchdog
    try:
        found = WatchedProcess(_command).result()
        out, status = str(found["out"]), int(found["status"])
        if status not in range(256):
            raise ValueError(f"status {status}")
    except KeyboardInterrupt:
        return _failed("interrupted", 130)
    except DpverifyError as problem:
        return _failed(str(problem), problem.exit_status)
    except Exception as problem:  # noqa: BLE001 - no traceback reaches a user
        return _failed(f"internal error: {type(problem).__name__}: {problem}; please report it", 3)
    finally:
        kill_children()
    return _printed(out) or status


def _open_all() -> None:
    """Open descriptors 0, 1 and 2 where they are closed, so that no other file gets these numbers and printed text."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # open uses the lowest free number


def _failed(line: str, status: int) -> int:
    with suppress(OSError, ValueError, AttributeError):  # closed, full, or not there
        shown = SHOW_CURSOR if sys.stderr.isatty() else ""
        sys.stderr.write(f"{shown}dpverify: {one_line(line)}\n")
        sys.stderr.flush()
    return status


def _printed(text: str) -> int:
    """Print the text; returns 0, or the exit status when standard output fails."""
    if not text:
        return 0
    if sys.stdout is None:
        return _failed("standard output is closed: the result is lost; --quiet needs none", 3)
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as problem:
        with suppress(OSError):  # otherwise Python tries again at exit, with another exit status
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(problem, BrokenPipeError):
            return BROKEN_PIPE
        return _failed(f"cannot write to standard output: {problem.strerror or problem}", 3)
    return 0


class _BufferedOutput(io.StringIO):
    """Replaces standard output: keeps the printed text, with the properties of the real stream."""

    def __init__(self, target: Any) -> None:
        super().__init__()
        self._terminal = bool(target is not None and target.isatty())
        self._named = str(getattr(target, "encoding", None) or "utf-8")

    def isatty(self) -> bool:
        """Whether the real standard output is a terminal."""
        return self._terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a text stream's own is None, and cannot be set
        """The encoding of the real standard output."""
        return self._named


def _command() -> dict[str, Any]:
    """Run the command, inside the watched process."""
    kept = _BufferedOutput(sys.stdout)
    sys.stdout = kept
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process
    if hasattr(os, "fork"):
        os.dup2(2, 1)
    from dpverify.cli.command_line import command_line

    return {"status": command_line(), "out": kept.getvalue()}
