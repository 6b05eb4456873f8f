"""Process trees: children end with their parent, and a process is ended with all its descendants.

On Linux a process may ask to be killed when its parent is gone, and to become the parent of whatever its descendants
leave behind (daemons, which start a session of their own and let their parent end). With both, nothing that a subject
starts outlives its audit. Elsewhere a worker notices at the end of its unit, and what has left its family is not found.
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
"""Seconds for those who tidy up behind the others (semaphores of the system), once these are gone."""

LOOK = 0.01


def end_with_parent(parent: int | None = None, number: int = signal.SIGKILL) -> None:
    """Have this process ended when its parent is gone; now, if that is no longer `parent`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if parent is not None and os.name == "posix" and os.getppid() != parent:
        os.kill(os.getpid(), number)


def adopt() -> None:
    """Become the parent of descendants whose own parent ends, so that they are found."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_family(process: int) -> None:
    """Kill a process, and first stop it and kill whatever it started and that is still its own, or its children's."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGSTOP)  # it starts no more
    for child in children(process):
        end_family(child)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def end_children(kept: frozenset[int] = frozenset(), *, goes_on: bool = False) -> None:
    """Kill and bury all that this process has started or adopted, but for those `kept`.

    Trackers of Python's own, which remove what the others left in the system and then end by themselves, come last; in
    a process that `goes_on` they stay.
    """
    until = time.monotonic() + PATIENCE
    while found := [child for child in children(os.getpid()) if child not in kept and not (goes_on and _tidies(child))]:
        late = time.monotonic() > until
        for child in found:
            if late or not _tidies(child):
                end_family(child)
        _bury(found)
        if time.monotonic() > until + PATIENCE:  # one that the system does not let go
            return
        if any(child in found for child in children(os.getpid())):
            time.sleep(LOOK)


def family(process: int) -> list[int]:
    """The process and its descendants."""
    return [process, *(each for child in children(process) for each in family(child))]


def children(process: int) -> list[int]:
    """Of all its threads; none where the system does not say."""
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
