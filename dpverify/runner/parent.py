"""A process that ends when the one that started it does: nobody else would end an endless loop that lost its watcher.

Linux only; elsewhere a worker notices at the end of its unit.
"""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def end_with_parent() -> None:
    """Have this process killed when its parent is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
