"""Time limits of an audit: on one call of a callable, and on the whole.

In the main thread a timer signal (``setitimer``) interrupts any Python code, including sleeps and reads. In other
threads, which receive no signals, a watching thread raises the exception between two bytecodes. The exception is not an
``Exception``, so a ``try`` in the callable does not catch it, and it is raised repeatedly.

Statistics: an audit that reaches its time limit is inconclusive. The time of a draw may depend on its value, so a bound
from "all draws that were ready in time" would be biased; they are discarded. Evidence that was finished before remains
valid, since each method has its own error probability.

Limits: neither way interrupts C code that never returns to Python (one huge integer power, one compiled loop), or a
callable that blocks the signal; its result is refused when it returns. With a watchdog (the command line, and
``isolate=True``), each limit is written to a shared page, and the watchdog kills the process some seconds after it. A
blocking call (``sleep``) in another thread is interrupted only when it returns. Without signals (Windows), the main
thread is watched like any other.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import FrameType
from typing import Any, Protocol

from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.watchdog_page import current_page

AGAIN = 0.2
"""Seconds between repeated interrupts, for callables that catch even BaseException."""

KEPT = 1.0
"""Seconds after which the timer is set anew."""

WATCH = 0.02
"""Seconds between two checks of a watching thread."""

LONGEST = 1e9
"""The longest limit in seconds (more than thirty years), below the largest value of the system's timers."""

GRACE, CALL_GRACE = 10.0, 3.0
"""Seconds after the limit of the audit, and of a call, before the watchdog kills the process."""


class OutOfTimeError(DpverifyError):
    """The audit reached its time limit without a verdict."""


class Interrupted(BaseException):
    """Raised in the running code when time is up; like KeyboardInterrupt it is not an Exception."""


class TimeLimit:
    """The time limits of one audit; use it as a context in the auditing thread.

    Parameters
    ----------
    seconds : float or None
        Limit of the whole audit, from the start of the context.
    per_call : float or None
        Limit of each call of the callable (one output or one batch).

    Raises
    ------
    InputError
        For limits that are not above 0, or longer than `LONGEST`.
    """

    def __init__(self, *, seconds: float | None = None, per_call: float | None = None) -> None:
        for name, value in (("max_seconds", seconds), ("max_seconds_per_call", per_call)):
            if value is not None and not 0 < value <= LONGEST:
                raise InputError(f"{name} = {value}", allowed=f"a number of seconds above 0, {LONGEST:g} at most")
        self.seconds, self.per_call = seconds, per_call
        self.deadline = math.inf
        self._alarm: _Alarm | None = None
        self._process = 0
        self._unlimited = NoCopy()
        self._lines: dict[str, str] = {}

    def __enter__(self) -> TimeLimit:
        if self.seconds is not None or self.per_call is not None:
            self.deadline = math.inf if self.seconds is None else time.monotonic() + self.seconds
            self._open()
        return self

    def _open(self) -> None:
        if self.seconds is not None and (page := current_page()) is not None:
            page.say("whole", self._too_late(), 3)
            page.ends("whole", self, self.deadline + GRACE)
        self._alarm, self._process = _alarm(), os.getpid()
        self._alarm.open()
        self._alarm.set(self.deadline)

    def reopen(self) -> None:
        """In a fork of the process, which has no timer: the same limits, and the same end of the whole."""
        if self._alarm is not None and os.getpid() != self._process:
            self._open()

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: object) -> None:
        self._close()
        if isinstance(problem, Interrupted):
            raise OutOfTimeError(self.words()) from None

    def stop(self) -> None:
        """Stop further interrupts, so that the result can be reported."""
        self._close()

    def words(self) -> str:
        """One line on why there is no result."""
        return (
            f"stopped at the limit of {self.seconds:g} s for the whole audit (max_seconds); what was drawn is thrown "
            "away, for the clock must not choose the number of draws: pass fewer trials or more seconds"
        )

    @contextmanager
    def calls_within(self, seconds: float) -> Iterator[None]:
        """Context in which each call has so many seconds at the most, whatever its limit is outside of it."""
        before, opened = self.per_call, self._alarm is None
        self.per_call = min(before or seconds, seconds)
        if opened:
            self._alarm = _alarm()
            self._alarm.open()
            self._alarm.set(self.deadline)
        try:
            yield
        finally:
            self.per_call = before
            if opened:
                self._close()

    def call(self, name: str) -> AbstractContextManager[None]:
        """Context of one call of the callable `name`; InputError when it exceeds its limit."""
        if self._alarm is None or self.per_call is None:
            return self._unlimited
        return _TimedCall(self, name, self._alarm, self.per_call)

    def line(self, name: str) -> str:
        """What the watchdog says of a call that never returns, put together once."""
        if name not in self._lines:
            self._lines[name] = str(self.too_long(name))
        return self._lines[name]

    def too_long(self, name: str) -> InputError:
        """The refusal of a call of `name` that took longer than its limit."""
        return InputError(
            f"one call of {name} ran longer than its limit of {self.per_call:g} s (max_seconds_per_call)",
            allowed="a mechanism that returns in time on both data sets",
            remedy="correct the loop that does not end, or raise the limit",
        )

    def _too_late(self) -> str:
        return (
            f"stopped {GRACE:g} s after the limit of {self.seconds:g} s for the whole audit (max_seconds): "
            "the mechanism was in C code that does not let Python break in"
        )

    def _close(self) -> None:
        alarm, self._alarm = self._alarm, None
        if (page := current_page()) is not None:
            page.ends("whole", self, math.inf)
        if alarm is not None:
            try:
                alarm.close()
            except Interrupted:  # interrupted while entering
                alarm.close()


class _TimedCall:
    """Context of a call with a limit, as quick as may be: it surrounds each draw."""

    __slots__ = ("_alarm", "_ends", "_limit", "_name", "_page", "_process", "_seconds")

    def __init__(self, limit: TimeLimit, name: str, alarm: _Alarm, seconds: float) -> None:
        self._limit, self._name, self._alarm, self._seconds = limit, name, alarm, seconds

    def __enter__(self) -> None:
        self._page, self._process = current_page(), os.getpid()
        self._ends = time.monotonic() + self._seconds
        if self._page is not None:
            self._page.say("call", self._limit.line(self._name), InputError.exit_status)
            self._page.ends("call", self._limit, self._ends + CALL_GRACE)
        try:
            self._alarm.set(min(self._ends, self._limit.deadline))
        except Interrupted:
            self._refuse()
            raise

    def __exit__(self, _kind: object, problem: BaseException | None, _trace: object) -> None:
        if os.getpid() != self._process:
            os._exit(0)
        try:
            self._alarm.set(self._limit.deadline)
            if self._page is not None:
                self._page.ends("call", self._limit, math.inf)
        except Interrupted:
            self._refuse()
            raise
        if isinstance(problem, Interrupted):
            self._refuse()
        elif problem is None and time.monotonic() > self._ends:  # C code prevented the interrupt
            raise self._limit.too_long(self._name)

    def _refuse(self) -> None:
        """After an interrupt: the call's limit, unless the whole's was reached."""
        if time.monotonic() < self._limit.deadline:
            raise self._limit.too_long(self._name) from None


class NoCopy:
    """Context of a call without a limit: a forked copy of this process (``os.fork`` in the callable) ends here.

    Otherwise all following work would be done twice.
    """

    __slots__ = ("_this",)

    def __enter__(self) -> None:
        self._this = os.getpid()

    def __exit__(self, *_: object) -> None:
        if os.getpid() != self._this:
            os._exit(0)


class _Alarm(Protocol):
    def open(self) -> None: ...
    def set(self, deadline: float) -> None: ...
    def close(self) -> None: ...


class _SignalAlarm:
    """Interrupts by the process's real-time timer. A timer of other code is paused and restored.

    The timer is set anew only where it would ring too late, and every `KEPT` seconds, in case that the callable stopped
    it: a system call before and after each call would cost more than a fast callable takes. A ring that comes too early
    sets it to the deadline.
    """

    def open(self) -> None:
        self._deadline = self._rings = math.inf
        self._since = self._set = time.monotonic()
        self._theirs = signal.setitimer(signal.ITIMER_REAL, 0.0)
        self._told, sys.unraisablehook = sys.unraisablehook, partial(_lost, sys.unraisablehook)
        self._handler: Any = signal.signal(signal.SIGALRM, self._ring)

    def set(self, deadline: float) -> None:
        self._deadline = deadline
        if deadline < math.inf and (deadline < self._rings or time.monotonic() > self._set + KEPT):
            self._ring_at(deadline)

    def _ring_at(self, deadline: float) -> None:
        self._set, self._rings = time.monotonic(), deadline
        signal.setitimer(signal.ITIMER_REAL, max(deadline - self._set, 1e-6), AGAIN)

    def close(self) -> None:
        self._deadline = math.inf
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, self._handler)
        sys.unraisablehook = self._told
        left, interval = self._theirs
        if left > 0:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - self._since), 1e-3), interval)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if time.monotonic() >= self._deadline:
            raise Interrupted
        if self._deadline < math.inf:
            self._ring_at(self._deadline)
        else:
            self._rings = math.inf
            signal.setitimer(signal.ITIMER_REAL, 0.0)


def _lost(tell: Callable[[Any], object], problem: Any) -> None:
    """Say nothing of an interrupt where none can be raised, as in a hook of ``fork``: it is raised again soon."""
    if problem.exc_type is not Interrupted:
        tell(problem)


class _ThreadAlarm:
    """Interrupts by a thread that watches this one."""

    def open(self) -> None:
        self._watched, self._deadline, self._rung = threading.get_ident(), math.inf, False
        self._lock, self._over = threading.Lock(), threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def set(self, deadline: float) -> None:
        with self._lock:
            self._deadline = deadline
            if self._rung:  # a pending one belongs to the previous call
                self._rung = False
                self._take_back()

    def close(self) -> None:
        self._over.set()
        self.set(math.inf)
        self._watcher.join()

    def _watch(self) -> None:
        while not self._over.wait(WATCH):
            with self._lock:
                if time.monotonic() >= self._deadline:
                    self._rung = True
                    _interrupt(self._watched)
                    self._deadline = time.monotonic() + AGAIN

    def _take_back(self) -> None:
        """In the watched thread: raise and catch a pending interrupt.

        Passing NULL would drop the exception, but CPython would keep its flag for a pending one: threads would run
        slower, and CPython 3.11 would never end the next traced function (coverage, debuggers).
        """
        try:
            _interrupt(self._watched)
            for _ in range(1000):  # raised in the first iteration
                pass
        except Interrupted:
            pass


def _interrupt(thread: int) -> None:
    """Have `Interrupted` raised in a thread, between two bytecodes."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Interrupted))


def _alarm() -> _Alarm:
    signals = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    return _SignalAlarm() if signals else _ThreadAlarm()
