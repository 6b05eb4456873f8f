"""A page of memory that a watched process shares with its watchdog: the current call, and its time limit.

Whoever is inside a call that lets nothing break in can send no message; so it writes its limits down before. The
watchdog (`dpverify.runner.watched_process`) reads them, and ends the process when one is passed. Times are of the
monotonic clock, which is the system's and no process's own.

Limits: what runs in the watched process can write here too; the page keeps accidents apart from verdicts, not enemies.

The page also tells a Ctrl-C by a person from a KeyboardInterrupt that a mechanism raised. A person who asks to stop is
heard everywhere; a subject that raises the same exception is one that failed. The difference is the signal: it comes to
the main thread, and to whoever listens here. A watched process counts it only when its watchdog had it too, so that a
subject cannot send it to itself.
"""

from __future__ import annotations

import math
import mmap
import signal
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dpverify.core.errors import AuditError, one_line

_TIME = 8
_SIZE, _SLOT, _TEXT = 4096, 1024, 900
_INTERRUPTED = 0
_MEMORY = 8
_SLOTS = {"whole": _SLOT, "call": 2 * _SLOT}


class Page:
    """Limits of one watched process: of the ``whole`` and of the present ``call``, and of its memory."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, _SIZE)
        self._numbers = memoryview(self._map).cast("d")  # one store a number; `struct` writes zeros first
        self._lock = threading.Lock()
        self._ends: dict[str, dict[int, float]] = {slot: {} for slot in _SLOTS}
        self._said: dict[str, tuple[str, int]] = {}
        for place in (_MEMORY, *_SLOTS.values()):
            self._numbers[place // _TIME] = math.inf

    def say(self, slot: str, line: str, status: int) -> None:
        """Return the line that the watchdog says, and its exit status, when this limit is passed."""
        if self._said.get(slot) == (line, status):  # a call of the same callable, as nearly all are
            return
        self._said[slot] = line, status
        text = line.encode()[:_TEXT]
        start = _SLOTS[slot] + 8
        self._map[start : start + 4 + len(text)] = struct.pack("HH", status, len(text)) + text

    def ends(self, slot: str, owner: object, moment: float) -> None:
        """`owner`, one of several perhaps, must be through at this moment; ``inf`` takes it back."""
        with self._lock:
            kept = self._ends[slot]
            if moment == math.inf:
                kept.pop(id(owner), None)
            else:
                kept[id(owner)] = moment
            self._numbers[_SLOTS[slot] // _TIME] = min(kept.values(), default=math.inf)

    def passed(self, now: float) -> tuple[str, int] | None:
        """The line and the status of a limit that is passed; None without one."""
        for place in reversed(_SLOTS.values()):
            if now > self._numbers[place // _TIME]:
                status, length = struct.unpack_from("HH", self._map, place + 8)
                start = place + 12
                return self._map[start : start + min(length, _TEXT)].decode(errors="replace"), status
        return None

    @property
    def memory(self) -> float:
        """Bytes that the process and its children may hold together; inf without a limit."""
        return float(self._numbers[_MEMORY // _TIME])

    @memory.setter
    def memory(self, size: float) -> None:
        self._numbers[_MEMORY // _TIME] = size

    @property
    def interrupted(self) -> bool:
        """Tell whether a person has asked to stop."""
        return self._map[_INTERRUPTED] == 1

    def interrupt(self) -> None:
        """A person has asked to stop."""
        self._map[_INTERRUPTED] = 1


class _Here:
    page: Page | None = None


def current_page() -> Page | None:
    """This process's page; None where nobody watches."""
    return _Here.page


def use_page(page: Page) -> None:
    """Set the page of this process; called once, by the watched process."""
    _Here.page = page


class _Heard:
    """Tell whether this process listens for Ctrl-C, and whether it came."""

    listening = False
    asked = False


_heard = _Heard()


@contextmanager
def listening() -> Iterator[None]:
    """Note who presses Ctrl-C meanwhile; without effect outside the main thread, and where another handler is set."""
    main = threading.current_thread() is threading.main_thread()
    if _heard.listening or not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _ring)
    _heard.listening, _heard.asked = True, False
    try:
        yield
    finally:
        _heard.listening = False
        if signal.getsignal(signal.SIGINT) is _ring:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def asked_to_stop(problem: BaseException) -> bool:
    """Tell whether `problem` is a person's Ctrl-C, as far as this process can know: where nobody listens, any that
    comes to the main thread counts as one.
    """
    if not isinstance(problem, KeyboardInterrupt) or threading.current_thread() is not threading.main_thread():
        return False
    return _heard.asked if _heard.listening else signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@contextmanager
def handle_ctrl_c_here(what: str, *others: type[BaseException]) -> Iterator[None]:
    """Around what a subject does in this process: an exception that is no Exception, and would end the program, is an
    AuditError; Ctrl-C and `others` go on."""
    try:
        yield
    except BaseException as problem:
        if isinstance(problem, (Exception, *others)) or asked_to_stop(problem):
            raise
        said = one_line(f"{type(problem).__name__}: {problem}").rstrip(": ")
        raise AuditError(f"{what} raised {said}, which is no Exception: it would have ended the program") from problem


def _ring(_number: int, _frame: FrameType | None) -> None:
    page = current_page()
    _heard.asked = _heard.asked or page is None or page.interrupted
    raise KeyboardInterrupt
