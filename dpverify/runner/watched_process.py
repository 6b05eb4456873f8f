"""Runs untrusted work in a process of its own, with a watchdog process above it.

Three processes: this one, the watchdog that it forks, and the work's, which the watchdog forks. What the work does to
its own (an exit, a crash, closed descriptors, an endless C loop, memory without end) ends that one alone; the watchdog
says in one line what happened, and kills and buries whatever the work has started or left behind. It does the same
when this process is gone, however that ended, and this one notices when the watchdog is. A limit that nothing inside
could keep (`TimeLimit`, memory) the work writes on a page that it shares with the watchdog.

Results travel as plain JSON behind their length, so that a process which still holds the pipe keeps nothing waiting,
and nothing of the work's is run here. A copy of the work's process (a subject that forks and comes back) says nothing.

Limits: needs ``fork`` (not on Windows, where the work is done here, unwatched), and should come before this process
starts threads of its own. What the work does beyond its processes (files, signals to strangers) is not undone, and who
means to forge a result in the process that makes it can.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from dpverify.core.errors import AuditError, DpverifyError, InputError, one_line
from dpverify.core.interrupt import asked_to_stop, listening
from dpverify.core.watchdog_page import Page, use
from dpverify.runner.memory import first_to_go
from dpverify.runner.pipe import Incoming, send
from dpverify.runner.process_tree import adopt, end_children, end_family, end_with_parent
from dpverify.runner.temporary_folders import sweep
from dpverify.runner.watchdog import EndedError, Watchdog, problem

LOOK = 0.5
"""Seconds between two looks at whether the watchdog is still at work."""


class ReportedError(AuditError):
    """An error of the other process: its line, and its exit status."""

    def __init__(self, line: str, status: int) -> None:
        super().__init__(one_line(line))
        self.exit_status = status


class WatchedProcess:
    """Starts `work` in a process of its own.

    Parameters
    ----------
    work : callable
        Takes nothing and returns plain JSON values.
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work, self._watchdog = work, 0
        if not hasattr(os, "fork"):
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # closed, or none
                stream.flush()
        page, this = Page(), os.getpid()
        reader, writer = os.pipe()
        with warnings.catch_warnings():  # idle threads of BLAS count as threads; they hold nothing
            warnings.simplefilter("ignore", DeprecationWarning)
            self._watchdog = os.fork()
        if self._watchdog == 0:
            os.close(reader)
            _watchdog_there(work, page, this, writer)
        os.close(writer)
        self._incoming = Incoming(reader)

    def result(self) -> Any:
        """What the work returned.

        Raises
        ------
        InputError
            What it raised as one.
        ReportedError
            What else it raised, or why it was ended.
        AuditError
            When the watchdog was ended, too.
        KeyboardInterrupt
            When a person pressed Ctrl-C here, and the work made no result of it.
        """
        if not self._watchdog:
            return self._work()
        try:
            self._wait()
        finally:
            self._incoming.close()
            end_family(self._watchdog)
            with suppress(ChildProcessError):
                os.waitpid(self._watchdog, 0)
        return _result(self._incoming.whole)

    def _refuse_stopped(self) -> None:
        """A watchdog that a subject has stopped keeps no limit any more."""
        with suppress(ChildProcessError):
            found, status = os.waitpid(self._watchdog, os.WNOHANG | os.WUNTRACED)
            if found and os.WIFSTOPPED(status):
                raise AuditError("the watchdog was stopped: a mechanism or a plug-in may have done it")

    def _wait(self) -> None:
        """Ctrl-C goes on to the work, which may have something to say; the third one ends it, and a watchdog that a
        subject has stopped."""
        for patience in (True, True, False):
            try:
                while not self._incoming.look(LOOK):
                    self._refuse_stopped()
            except KeyboardInterrupt:
                if not patience:
                    raise
                with suppress(ProcessLookupError):
                    os.kill(self._watchdog, signal.SIGINT)
            else:
                return


def _result(message: bytes | None) -> Any:
    """Of a message that is whole and what it should be."""
    try:
        found = json.loads(message or b"")
        if "problem" not in found:
            return found["result"]
        line, status = str(found["problem"]), int(found["status"])
    except (ValueError, TypeError, LookupError, RecursionError):
        raise AuditError(
            "the process at work and its watchdog died and left no result: a mechanism or a plug-in may have ended them"
        ) from None
    if status == 130:
        raise KeyboardInterrupt
    what, said, allowed = line.partition("; allowed: ")
    if status == InputError.exit_status and said:
        raise InputError(what, allowed=allowed)
    raise ReportedError(line, status if status in (2, 3) else 3)


def _watchdog_there(work: Callable[[], Any], page: Page, above: int, end: int) -> NoReturn:
    """In the watchdog: it forks the work's process, watches it, and tidies up."""
    try:
        deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        os.setsid()
        adopt()
        signal.signal(signal.SIGTERM, _end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        end_with_parent(above, signal.SIGTERM)
        reader, writer = os.pipe()
        this = os.getpid()
        child = os.fork()
        if child == 0:
            os.close(end)
            os.close(reader)
            _work_there(work, page, this, writer, deaf=deaf)
        os.close(writer)
        try:
            message = Watchdog(child, Incoming(reader), page, above).watch()
        finally:
            end_children()
            sweep()
        send(end, message)
    except (EndedError, OSError):  # nobody is there to hear it
        pass
    finally:
        os._exit(0)


def _end(_number: int, _frame: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise EndedError


def _work_there(work: Callable[[], Any], page: Page, watchdog: int, end: int, *, deaf: bool) -> NoReturn:
    """In the work's process: the result, or the line of an error, and no way back into the code that forked."""
    this = os.getpid()
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN if deaf else signal.default_int_handler)
        end_with_parent(watchdog)
        first_to_go()
        use(page)
        with listening():
            text = _done(work)
        if os.getpid() == this:  # a subject may fork and come back twice
            send(end, text)
    finally:
        os._exit(3)


def _done(work: Callable[[], Any]) -> bytes:
    """Whatever it raises is contained here."""
    try:
        return json.dumps({"result": work()}).encode()
    except DpverifyError as raised:
        found = problem(str(raised), raised.exit_status)
    except BaseException as raised:  # noqa: BLE001 - it must not get out
        found = problem(*unforeseen(raised))
    return json.dumps(found).encode()


def unforeseen(raised: BaseException) -> tuple[str, int]:
    """The line on what nobody should have raised, and its exit status."""
    if asked_to_stop(raised):
        return "interrupted", 130
    said = one_line(f"{type(raised).__name__}: {raised}")
    if isinstance(raised, MemoryError):
        return f"no memory left ({said}): pass fewer trials, or raise --max-memory", 3
    if isinstance(raised, Exception):
        return f"internal error: {said}; please report it", 3
    return f"{said} came out of what was run, and would have ended dpverify", 3
