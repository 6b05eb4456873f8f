"""A page of memory that a watched process shares with its watchdog: the current call, and its time limit.

Whoever is inside a call that lets nothing break in can send no message; so it writes its limits down before. The
watchdog (`dpverify.runner.watched_process`) reads them, and ends the process when one is passed. Times are of the
monotonic clock, which is the system's and no process's own.

Limits: what runs in the watched process can write here too; the page keeps accidents apart from verdicts, not enemies.
"""

from __future__ import annotations

import math
import mmap
import struct
import threading

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
