"""The watchdog of `dpverify.runner.watched_process`: checks limits during the work, and reports how it ended."""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import time
from contextlib import suppress
from types import FrameType
from typing import Any

from dpverify.core.watchdog_page import Page
from dpverify.runner.memory import use_more_than
from dpverify.runner.process_tree import kill_with_descendants, with_descendants

LOOK = 0.1
"""Seconds between two checks of the limits."""

MOST_PROCESSES = 1000
"""Processes of one command at a time."""

SETTLED = 1.0
"""Seconds that a process gets to end after its pipe has closed."""

GRACE = 10.0
"""Seconds after Ctrl-C in which the work may end by itself; a second Ctrl-C, later than `AGAIN`, ends it."""

AGAIN = 1.0


class EndedError(Exception):
    """The watchdog was told to end, or its parent process is gone."""


class Watchdog:
    """Watches the process `child` for the process `above`."""

    def __init__(self, child: int, incoming: Incoming, page: Page, above: int) -> None:
        self._child, self._incoming, self._page, self._above = child, incoming, page, above
        self._status: int | None = None
        self._asked, self._until = 0.0, float("inf")
        signal.signal(signal.SIGINT, self._interrupt)

    def watch(self) -> bytes:
        """Wait for the work's end; returns its message, or the watchdog's message instead."""
        try:
            while True:
                died = self._died()  # checked before reading, so that the last message is then in the pipe
                over = self._incoming.poll(0.0 if died else LOOK)
                if self._incoming.whole is not None:
                    return self._incoming.whole
                if over or (died and not self._incoming.poll(0.0)):
                    return _told(*self._ended())
                if os.getppid() != self._above:
                    raise EndedError
                if (passed := self._passed()) is not None:
                    return _told(*passed)
        finally:
            if self._status is None:
                kill_with_descendants(self._child)

    def _passed(self) -> tuple[str, int] | None:
        """The exceeded limit, as a message and an exit status; None when all are kept."""
        now = time.monotonic()
        if now > self._until:
            return "interrupted", 130
        if (line := self._page.passed(now)) is not None:
            return line
        found, most = with_descendants(os.getpid())[1:], self._page.memory
        if len(found) > MOST_PROCESSES:
            return f"stopped: it started more than {MOST_PROCESSES} processes that have not ended", 3
        if most != float("inf") and use_more_than(found, most):
            return f"stopped: it took more than the {most / 2**30:.3g} GB of memory that it may (--max-memory)", 3
        return None

    def _died(self) -> bool:
        """Tell whether the work's process has ended; other ended children are reaped."""
        with suppress(ChildProcessError):
            while True:
                found, status = os.waitpid(-1, os.WNOHANG)
                if not found:
                    break
                if found == self._child:
                    self._status = status
        return self._status is not None

    def _ended(self) -> tuple[str, int]:
        """A message on how the process ended without a result."""
        until = time.monotonic() + SETTLED
        while not self._died() and time.monotonic() < until:
            time.sleep(LOOK / 10)
        if self._status is None:
            return "the process at work closed its pipe and can say no more: a mechanism may have closed it", 3
        code = os.waitstatus_to_exitcode(self._status)
        how = f"exit status {code}" if code >= 0 else f"signal {-code}{_named(-code)}"
        if self._page.interrupted:
            return "interrupted", 130
        return f"the process at work died ({how}) and left no result: a mechanism or a plug-in may have ended it", 3

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Pass Ctrl-C on to the work, which may still report a result."""
        now = time.monotonic()
        self._until = now if self._asked and now > self._asked + AGAIN else now + GRACE
        self._asked = self._asked or now
        self._page.interrupt()
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGINT)


def problem(line: str, status: int) -> dict[str, Any]:
    """The message that replaces a result."""
    return {"problem": line, "status": status}


def _told(line: str, status: int) -> bytes:
    return json.dumps(problem(line, status)).encode()


def _named(number: int) -> str:
    with suppress(ValueError):
        return f", {signal.Signals(number).name}"
    return ""


MOST = 2**28
"""Largest message in bytes; a longer one is an error."""

_READ = 2**16
_write = os.write
"""Bound now: the work may put something else in its place."""
_LENGTH = struct.Struct("!Q")


class Incoming:
    """The reader's side.

    Attributes
    ----------
    descriptor : int
        Where it is read.
    whole : bytes or None
        The message, once complete; None before.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self._got, self._most = descriptor, bytearray(), -1
        self.whole: bytes | None = None

    def poll(self, seconds: float | None = None) -> bool:
        """Read for at most `seconds` (None: no limit); True when the message is complete or the pipe has ended."""
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if not ready:
            return False
        part = os.read(self.descriptor, _READ)
        self._got += part
        if self._most < 0 and len(self._got) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._got)
            if length > MOST:
                return True
            self._most = _LENGTH.size + length
        if 0 <= self._most <= len(self._got):
            self.whole = bytes(self._got[_LENGTH.size : self._most])
        return self.whole is not None or not part

    def close(self) -> None:
        """Close the pipe; nothing more is read."""
        with suppress(OSError):
            os.close(self.descriptor)


def send(descriptor: int, message: bytes) -> None:
    """Write the whole message; OSError when that fails."""
    left = memoryview(_LENGTH.pack(len(message)) + message)
    while left:
        written = _write(descriptor, left)
        if written < 1:
            raise OSError("nothing was written")
        left = left[written:]
