"""The process that the shell sees: it runs no user code, prints the command's output, and decides the exit status.

The command runs in a watched process (`dpverify.runner.watched_process`). Its text for standard output is sent here at
its end. What subjects print, even from C code and in children, comes here by a pipe: the first lines go to standard
error, and the others are counted. So it mixes with no result and fills no disk.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stdout
from typing import Any

from dpverify.cli.first_line import LINES, FirstLine
from dpverify.cli.printing import failed, open_all, printed
from dpverify.core.errors import DpverifyError
from dpverify.runner.process_tree import adopt_orphans, kill_children
from dpverify.runner.watched_process import WatchedProcess


def run_watched_command() -> int:
    """Run the command; returns the exit status."""
    words = sys.argv[1:]
    apart = words[:1] == ["audit"] and hasattr(os, "fork")
    open_all()
    if apart:
        from dpverify.cli import audit_verdict

        audit_verdict.prepare()
    adopt_orphans()  # adopts processes of a subject that ended the watchdog
    heard = FirstLine(sys.stderr, LINES)
    try:
        found = WatchedProcess(_command, heard.hear).result()
        out, status = str(found["out"]), int(found["status"])
        if status not in range(256):
            raise ValueError(f"status {status}")
        if apart and not audit_verdict.sends_nothing(words):
            with redirect_stdout(_BufferedOutput(sys.stdout)) as kept:
                status = audit_verdict.told_apart(found.get("handed"), words)
            out = kept.getvalue()
    except KeyboardInterrupt:
        return failed("interrupted", 130)
    except DpverifyError as problem:
        return failed(str(problem), problem.exit_status)
    except Exception as problem:  # noqa: BLE001 - no traceback reaches a user
        return failed(f"internal error: {type(problem).__name__}: {problem}; please report it", 3)
    finally:
        kill_children()
        heard.tell_the_rest()
    return printed(out) or status


handed: dict[str, Any] | None = None
"""In the watched process: what an audit found, for the parent to tell; None where there is no parent."""


def hand_over(found: dict[str, Any]) -> int:
    """Let the parent tell it, which decides the exit status, too."""
    global handed
    handed = found
    return 3


class _BufferedOutput(io.StringIO):
    """Replaces standard output: keeps the printed text, with the properties of the real stream."""

    def __init__(self, target: Any) -> None:
        super().__init__()
        self._terminal = bool(target is not None and target.isatty())
        self._named = str(getattr(target, "encoding", None) or "utf-8")

    def isatty(self) -> bool:
        """Tell whether the real standard output is a terminal."""
        return self._terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a text stream's own is None, and cannot be set
        """The encoding of the real standard output."""
        return self._named


def _command() -> dict[str, Any]:
    """Run the command, inside the watched process."""
    global handed
    true, kept = sys.stdout, _BufferedOutput(sys.stdout)
    handed = {} if hasattr(os, "fork") else None  # else this process prints
    sys.stdout = kept
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process
    from dpverify.cli.command_line import command_line

    try:
        status = command_line()
    finally:
        sys.stdout = true  # where no system forks, this is the process that prints
        if (pool := sys.modules.get("dpverify.runner.pool")) is not None:
            pool.leave_nothing()  # this process is killed, and joblib's tracker would tell of what it left
    return {"status": status, "out": kept.getvalue(), "handed": handed}
