"""Process trees: children end with their parent, and a process is ended with all its descendants.

On Linux a process may ask to be killed when its parent ends, and to adopt orphaned descendants (daemons, which start a
new session and let their parent end). With both, no process that a subject starts outlives its audit. On other systems
a worker notices the end of its parent only after its unit, and orphaned descendants are not found.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # of linux/prctl.h

PATIENCE = 1.0
"""Seconds that Python's resource trackers (semaphores) get to end after the other children."""

LOOK = 0.01


def end_with_parent(parent: int | None = None, number: int | None = None) -> None:
    """Have this process killed when its parent ends; at once, if its parent is no longer `parent`."""
    number = signal.SIGKILL if number is None else number  # a default would be read on Windows, which has none
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if parent is not None and os.name == "posix" and os.getppid() != parent:
        os.kill(os.getpid(), number)


def adopt_orphans() -> None:
    """Adopt descendants whose parent ends, so that they can be found and killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_with_descendants(process: int) -> None:
    """Kill a process and all its descendants; it is stopped first."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGSTOP)  # a stopped process starts no more children
    for child in children(process):
        kill_with_descendants(child)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def kill_children(kept: frozenset[int] = frozenset(), *, goes_on: bool = False) -> None:
    """Kill and reap all processes that this one has started or adopted, except those `kept`.

    Python's resource trackers, which clean up after the others and then end by themselves, come last; they are kept
    when this process `goes_on`.
    """
    until = time.monotonic() + PATIENCE
    while found := [child for child in children(os.getpid()) if child not in kept and not (goes_on and _tidies(child))]:
        late = time.monotonic() > until
        for child in found:
            if late or not _tidies(child):
                kill_with_descendants(child)
        _bury(found)
        if time.monotonic() > until + PATIENCE:  # a process that cannot be killed now
            return
        if any(child in found for child in children(os.getpid())):
            time.sleep(LOOK)


def with_descendants(process: int) -> list[int]:
    """The process and its descendants."""
    return [process, *(each for child in children(process) for each in with_descendants(child))]


def children(process: int) -> list[int]:
    """Children of all threads of the process; none where the system does not list them."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
    return found


def _tidies(process: int) -> bool:
    with suppress(OSError):
        return b"resource_tracker" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


def _bury(processes: list[int]) -> None:
    for process in processes:
        with suppress(ChildProcessError):
            os.waitpid(process, os.WNOHANG)
