"""Runs untrusted work in a process of its own, with a watchdog process above it.

There are three processes: this one, the watchdog that it forks, and the worker that the watchdog forks. An exit, a
crash, closed descriptors, an endless C loop or endless memory use ends the worker only. The watchdog reports in one
line what happened, and kills and reaps all processes that the work started. It also does so when this process ends for
whatever reason, and this process notices when the watchdog ends. Limits that the worker cannot enforce itself
(`TimeLimit`, memory) are written to a page of memory shared with the watchdog.

Results are sent as plain JSON after their length, so that another process with the pipe open delays nothing, and no
code of the work runs here. A copy of the worker (a subject that forks and returns) sends nothing.

Limits: needs ``fork``; on Windows the work runs in this process, unwatched. It should be called before this process
starts threads. Effects outside the worker (files, signals to other processes) are not undone, and malicious work can
forge its result.
"""

from __future__ import annotations

import faulthandler
import json
import os
import select
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from dpverify.core.errors import AuditError, DpverifyError, InputError, one_line
from dpverify.core.extras import left_out
from dpverify.core.watchdog_page import Page, asked_to_stop, listening, use_page
from dpverify.runner.memory import prefer_for_out_of_memory_kill
from dpverify.runner.process_tree import adopt_orphans, end_with_parent, kill_children, kill_with_descendants
from dpverify.runner.temporary_folders import remove_abandoned_folders
from dpverify.runner.watchdog import EndedError, Incoming, Watchdog, problem, send

PART = 2**16
"""Bytes that are heard at once."""

LAST = 16
"""Parts that are heard at the end."""

LOOK = 0.5
"""Seconds between two checks that the watchdog still runs."""


class ReportedError(AuditError):
    """An error in the worker: its message and exit status."""

    def __init__(self, line: str, status: int) -> None:
        super().__init__(one_line(line))
        self.exit_status = status


class WatchedProcess:
    """Runs `work` in a separate process.

    Parameters
    ----------
    work : callable
        Takes nothing and returns plain JSON values.
    hear : callable or None
        Gets what the work and its children write to standard output and standard error. ``sys.stderr`` there is still
        the real one. None: both are this process's own.
    """

    def __init__(self, work: Callable[[], Any], hear: Callable[[bytes], object] | None = None) -> None:
        self._work, self._watchdog, self._hear = work, 0, hear
        if not hasattr(os, "fork"):
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # closed, or not there
                stream.flush()
        page, this = Page(), os.getpid()
        reader, writer = os.pipe()
        said = os.pipe() if hear is not None else None
        with warnings.catch_warnings():  # the warning counts idle BLAS threads, which hold no locks
            warnings.simplefilter("ignore", DeprecationWarning)
            self._watchdog = os.fork()
        if self._watchdog == 0:
            os.close(reader)
            _watchdog_there(work, page, this, writer, said)
        os.close(writer)
        self._incoming, self._said = Incoming(reader), -1
        if said is not None:
            self._said = said[0]
            os.close(said[1])

    def result(self) -> Any:
        """Wait for the work and return its result.

        Raises
        ------
        InputError
            When the work raised one.
        ReportedError
            When the work raised another error or was ended; the message says why.
        AuditError
            When the watchdog was ended as well.
        KeyboardInterrupt
            When Ctrl-C was pressed and the work returned no result.
        """
        if not self._watchdog:
            return self._work()
        try:
            self._wait()
        finally:
            self._incoming.close()
            kill_with_descendants(self._watchdog)
            with suppress(ChildProcessError):
                os.waitpid(self._watchdog, 0)
            for _ in range(LAST):  # what is still in the pipe; who writes on is not heard
                self._listen(0.0)
            if self._said >= 0:
                os.close(self._said)
        return _result(self._incoming.whole)

    def _refuse_stopped(self) -> None:
        """Raise an error when the watchdog was stopped by a signal, since it then enforces no limit."""
        with suppress(ChildProcessError):
            found, status = os.waitpid(self._watchdog, os.WNOHANG | os.WUNTRACED)
            if found and os.WIFSTOPPED(status):
                raise AuditError("the watchdog was stopped: a mechanism or a plug-in may have done it")

    def _listen(self, seconds: float) -> bool:
        """Hear a part of what the work says; False where neither that nor its result comes within the time."""
        if self._said < 0:
            return False
        ready, _, _ = select.select([self._said, *([self._incoming.descriptor] if seconds else [])], [], [], seconds)
        if self._said in ready and self._hear is not None:
            if part := os.read(self._said, PART):
                self._hear(part)
            else:  # everybody has closed it
                os.close(self._said)
                self._said = -1
        return bool(ready)

    def _wait(self) -> None:
        """Wait for a message, passing Ctrl-C on to the work; the third Ctrl-C ends work and watchdog."""
        for patience in (True, True, False):
            try:
                while not self._incoming.poll(0.0 if self._listen(LOOK) else LOOK * (self._said < 0)):
                    self._refuse_stopped()
            except KeyboardInterrupt:
                if not patience:
                    raise
                with suppress(ProcessLookupError):
                    os.kill(self._watchdog, signal.SIGINT)
            else:
                return


def _result(message: bytes | None) -> Any:
    """The result in a message; AuditError when the message is incomplete or malformed."""
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


def _watchdog_there(
    work: Callable[[], Any], page: Page, above: int, end: int, said: tuple[int, int] | None
) -> NoReturn:
    """Fork the worker from the watchdog, watch it, and end all processes left."""
    try:
        deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        os.setsid()
        adopt_orphans()
        signal.signal(signal.SIGTERM, _end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        end_with_parent(above, signal.SIGTERM)
        reader, writer = os.pipe()
        this = os.getpid()
        child = os.fork()
        if child == 0:
            os.close(end)
            os.close(reader)
            if said is not None:
                _say_there(said)
            _work_there(work, page, this, writer, deaf=deaf)
        for each in (writer, *(said or ())):
            os.close(each)
        try:
            message = Watchdog(child, Incoming(reader), page, above).watch()
        finally:
            kill_children()
            remove_abandoned_folders()
        send(end, message)
    except (EndedError, OSError):  # the parent is gone
        pass
    finally:
        os._exit(0)


def _say_there(said: tuple[int, int]) -> None:
    """Make descriptors 1 and 2 of the worker the pipe that is heard; our own messages still go to standard error."""
    own = os.dup(2)
    for number in (1, 2):
        os.dup2(said[1], number)
    for each in said:
        os.close(each)
    if sys.stderr is not None:
        sys.stderr = open(own, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115


def _end(_number: int, _frame: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise EndedError


def _work_there(work: Callable[[], Any], page: Page, watchdog: int, end: int, *, deaf: bool) -> NoReturn:
    """Send the result or an error from the worker, and exit without returning into the code that forked."""
    this = os.getpid()
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN if deaf else signal.default_int_handler)
        end_with_parent(watchdog)
        prefer_for_out_of_memory_kill()
        faulthandler.disable()  # a test runner's: the parent says in one line what happened
        use_page(page)
        with listening():
            text = _done(work)
        if os.getpid() == this:  # a subject may fork and return twice
            send(end, text)
    finally:
        os._exit(3)


def _done(work: Callable[[], Any]) -> bytes:
    """Run the work; all errors are caught here."""
    try:
        return json.dumps({"result": work()}).encode()
    except DpverifyError as raised:
        found = problem(str(raised), raised.exit_status)
    except BaseException as raised:  # noqa: BLE001 - it must not get out
        found = problem(*unforeseen(raised))
    return json.dumps(found).encode()


def unforeseen(raised: BaseException) -> tuple[str, int]:
    """Message and exit status for an unexpected exception."""
    if asked_to_stop(raised):
        return "interrupted", 130
    if (lacking := left_out(raised)) is not None:
        return str(lacking), lacking.exit_status
    said = one_line(f"{type(raised).__name__}: {raised}")
    if isinstance(raised, MemoryError):
        return f"no memory left ({said}): pass fewer trials, or raise --max-memory", 3
    if isinstance(raised, Exception):
        return f"internal error: {said}; please report it", 3
    return f"{said} came out of what was run, and would have ended dpverify", 3
