"""A process that ends when the one that started it does: nobody else would end an endless loop that lost its watcher.

Linux only; elsewhere a worker notices at the end of its unit. The other way round, whoever ends a process may end what
that has started, too (where ``/proc`` tells; what has left it, as daemons do, is not found).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def end_with_parent() -> None:
    """Have this process killed when its parent is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def end_family(process: int) -> None:
    """Kill a process, and first stop it and kill whatever it started and that is still its own, or its children's."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGSTOP)  # it starts no more
    for child in _children(process):
        end_family(child)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def _children(process: int) -> list[int]:
    """Of all its threads; none where the system does not say."""
    found: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, thread.read_text().split())
    return found
