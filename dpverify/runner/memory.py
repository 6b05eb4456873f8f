"""Memory: what the machine has, a limit from inside, and what a family of processes holds, looked at from outside.

The limit from inside (``RLIMIT_DATA``) stops the next allocation, at once, and counts neither maps that are shared
(``MAP_SHARED``, shared memory) nor the children's memory. Looking from outside counts both, but comes a moment later.
Linux; elsewhere there is the one or the other, or none. Memory files that are written to and never mapped are in
neither.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from dpverify.core.watchdog_page import here

SHARE = 0.8
"""Of the machine's memory, for what runs where no limit was asked for: the rest of the machine goes on."""


def memory_of_machine() -> int | None:
    """Bytes that this machine (or its container) has; None when the system does not say."""
    found = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(found, default=None)


def share_of_machine() -> int | None:
    """Bytes for one audit by default; None when the system does not say what it has."""
    whole = memory_of_machine()
    return None if whole is None else int(SHARE * whole)


def limit_memory(size: int) -> None:
    """Of this process: an allocation beyond `size` bytes fails."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        size = size if most == resource.RLIM_INFINITY else min(size, most)
        resource.setrlimit(resource.RLIMIT_DATA, (size, most))


def hold_within(size: int | None) -> None:
    """This process, from inside; with its children and what it shares, by the watchdog's eyes, where there is one."""
    if size is not None:
        limit_memory(size)
        if (page := here()) is not None:
            page.memory = size


def first_to_go() -> None:
    """Where memory runs out all the same, the system ends this process (and its children) before others."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def holds_more(processes: Iterable[int], size: float) -> bool:
    """Whether these processes hold more than `size` bytes together: of their own, and shared. What they share with one
    another counts once."""
    known = list(processes)
    if sum(_field_sum(pid, "status", ("RssAnon", "RssShmem", "VmSwap")) for pid in known) <= size:
        return False
    return sum(_field_sum(pid, "smaps_rollup", ("Pss_Anon", "Pss_Shmem", "SwapPss")) for pid in known) > size


def _field_sum(process: int, file: str, names: tuple[str, ...]) -> int:
    """Sum of these fields of a process's /proc file, in bytes."""
    total = 0
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{process}/{file}").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in names:
                total += 1024 * int(rest.split()[0])
    return total
