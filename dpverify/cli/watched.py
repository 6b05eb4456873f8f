"""Work in a process of its own, with this one as its watchdog: for time limits that nothing inside could keep.

A time limit breaks into Python (`dpverify.adapters.time_limit`), not into C code that never lets Python run. So where
there is a limit for the whole, the work is done in a forked process, and killed from here when it is still at it a
while after its limit. A process that dies by itself (a crash in somebody's C code) becomes one line in the same way.

Results travel as JSON behind their length, so that a process which the mechanism has forked and which still holds the
pipe keeps nothing waiting. The work's process leads a session of its own; whoever is left of it is killed in the end.
Limits: needs ``fork`` (not on Windows, where the work is done here, unwatched); the fork must
come before this process starts threads of its own.
"""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from dpverify.core.errors import AuditError, DpverifyError, one_line
from dpverify.runner.parent import end_with_parent

GRACE = 10.0
"""Seconds after the limit in which the work may still end by itself."""

LOOK = 0.2
"""Seconds between two looks at whether the other process lives while nothing comes through the pipe."""

_READ = 2**16
_LENGTH = struct.Struct("!Q")


class ReportedError(DpverifyError):
    """An error of the other process: its line, and its exit status."""

    def __init__(self, line: str, status: int) -> None:
        super().__init__(line)
        self.exit_status = status


class Watched:
    """Starts `work`, in a process of its own where there are `seconds` to keep.

    Parameters
    ----------
    work : callable
        Takes nothing and returns plain JSON values.
    seconds : float or None
        The limit that the work knows itself and should keep; None to work here, when the result is asked for.
    """

    def __init__(self, work: Callable[[], Any], *, seconds: float | None) -> None:
        self._work, self._seconds, self._child = work, seconds, 0
        self._status: int | None = None
        if seconds is not None and hasattr(os, "fork"):
            self._deadline = time.monotonic() + seconds + GRACE
            sys.stdout.flush()
            sys.stderr.flush()
            self._pipe, end = os.pipe()
            with warnings.catch_warnings():  # idle threads of BLAS count as threads; they hold nothing
                warnings.simplefilter("ignore", DeprecationWarning)
                self._child = os.fork()
            if self._child == 0:
                os.close(self._pipe)
                _work_there(work, end)
            os.close(end)

    def result(self) -> Any:
        """What the work returned.

        Raises
        ------
        ReportedError
            What it raised, where it raised a DpverifyError in a process of its own.
        AuditError
            When it was killed, or died by itself.
        """
        if not self._child:
            return self._work()
        try:
            text = self._read()
        finally:
            status = self._kill()
        if text is None:
            code = os.waitstatus_to_exitcode(status)
            how = f"signal {-code}" if code < 0 else f"exit status {code}"
            raise AuditError(f"the audit's process died ({how}) and left no result: the mechanism may have ended it")
        found = json.loads(text)
        if "problem" in found:
            raise ReportedError(found["problem"], found["status"])
        return found["result"]

    def _read(self) -> bytes | None:
        """The other process's message; None when it died without a whole one, AuditError when it takes too long."""
        got = bytearray()
        with os.fdopen(self._pipe, "rb", buffering=0) as pipe:
            while True:
                died = self._died()  # asked first: what it wrote before is then in the pipe
                left = self._deadline - time.monotonic()
                ready, _, _ = select.select([pipe], [], [], 0.0 if died else max(0.0, min(left, LOOK)))
                part = pipe.read(_READ) if ready else b""
                got += part
                if len(got) >= _LENGTH.size and len(got) >= _LENGTH.size + _LENGTH.unpack_from(got)[0]:
                    return bytes(got[_LENGTH.size :])
                if part:
                    continue
                if ready or died:
                    return None
                if left <= 0.0:
                    raise AuditError(
                        f"stopped {GRACE:g} s after the limit of {self._seconds:g} s for the whole audit "
                        "(max_seconds): the mechanism was in C code that does not let Python break in"
                    )

    def _died(self) -> bool:
        """Whether the other process is gone."""
        if self._status is None:
            found, status = os.waitpid(self._child, os.WNOHANG)
            self._status = status if found else None
        return self._status is not None

    def _kill(self) -> int:
        """End the other process, if it has not ended, and all that it has forked; its wait status."""
        with suppress(ProcessLookupError, PermissionError):  # there may be nobody left
            os.killpg(self._child, signal.SIGKILL)
        if self._status is None:
            os.kill(self._child, signal.SIGKILL)  # it may not have had the time to lead a group
            _, self._status = os.waitpid(self._child, 0)
        return self._status


def _work_there(work: Callable[[], Any], end: int) -> NoReturn:
    """In the other process: the result, or the line of an error, and no way back into the code that forked."""
    status, this = 0, os.getpid()
    try:
        os.setsid()
        end_with_parent()
        try:
            found = {"result": work()}
        except DpverifyError as problem:
            found = {"problem": str(problem), "status": problem.exit_status}
        except KeyboardInterrupt:
            found = {"problem": "interrupted", "status": 130}
        except BaseException as problem:  # noqa: BLE001 - it must not get out
            line = f"internal error: {type(problem).__name__}: {one_line(str(problem))}; please report it"
            found = {"problem": line, "status": 3}
        sys.stdout.flush()
        sys.stderr.flush()
        text = json.dumps(found).encode()
        if os.getpid() == this:  # a mechanism may fork and come back twice
            with os.fdopen(end, "wb") as pipe:
                pipe.write(_LENGTH.pack(len(text)) + text)
    except BaseException:  # noqa: BLE001 - neither must this; the other side sees an empty pipe
        status = 3
    finally:
        os._exit(status)
