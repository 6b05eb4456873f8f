"""The watchdog of `dpverify.runner.watched_process`: checks limits during the work, and reports how it ended."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from types import FrameType
from typing import Any

from dpverify.core.watchdog_page import Page
from dpverify.runner.memory import holds_more
from dpverify.runner.pipe import Incoming
from dpverify.runner.process_tree import end_family, family

LOOK = 0.1
"""Seconds between two looks while nothing comes."""

SETTLED = 1.0
"""Seconds between the end of a process's pipe and its own, at most."""

GRACE = 10.0
"""Seconds after Ctrl-C in which the work may still end by itself; a second one, later than `AGAIN`, ends it."""

AGAIN = 1.0


class EndedError(Exception):
    """Somebody ends the watchdog, or the process above it is gone."""


class Watchdog:
    """Over one process, `child`, for the process `above`."""

    def __init__(self, child: int, incoming: Incoming, page: Page, above: int) -> None:
        self._child, self._incoming, self._page, self._above = child, incoming, page, above
        self._status: int | None = None
        self._asked, self._until = 0.0, float("inf")
        signal.signal(signal.SIGINT, self._interrupt)

    def watch(self) -> bytes:
        """The work's message, or ours in its place; the work has ended then."""
        try:
            while True:
                died = self._died()  # asked first: what it wrote before is then in the pipe
                over = self._incoming.look(0.0 if died else LOOK)
                if self._incoming.whole is not None:
                    return self._incoming.whole
                if over or (died and not self._incoming.look(0.0)):
                    return _told(*self._ended())
                if os.getppid() != self._above:
                    raise EndedError
                if (passed := self._passed()) is not None:
                    return _told(*passed)
        finally:
            if self._status is None:
                end_family(self._child)

    def _passed(self) -> tuple[str, int] | None:
        """The limit that was passed, as a word and an exit status; None when none was."""
        now = time.monotonic()
        if now > self._until:
            return "interrupted", 130
        if (line := self._page.passed(now)) is not None:
            return line
        most = self._page.memory
        if most != float("inf") and holds_more(family(os.getpid())[1:], most):
            return f"stopped: it took more than the {most / 2**30:.3g} GB of memory that it may (--max-memory)", 3
        return None

    def _died(self) -> bool:
        """Whether the work's process is gone; others that this one has adopted are buried."""
        with suppress(ChildProcessError):
            while True:
                found, status = os.waitpid(-1, os.WNOHANG)
                if not found:
                    break
                if found == self._child:
                    self._status = status
        return self._status is not None

    def _ended(self) -> tuple[str, int]:
        """How it ended without a message."""
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
        """Ctrl-C goes on to the work, which may have something to say."""
        now = time.monotonic()
        self._until = now if self._asked and now > self._asked + AGAIN else now + GRACE
        self._asked = self._asked or now
        self._page.interrupt()
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGINT)


def problem(line: str, status: int) -> dict[str, Any]:
    """What stands in the place of a result."""
    return {"problem": line, "status": status}


def _told(line: str, status: int) -> bytes:
    return json.dumps(problem(line, status)).encode()


def _named(number: int) -> str:
    with suppress(ValueError):
        return f", {signal.Signals(number).name}"
    return ""
