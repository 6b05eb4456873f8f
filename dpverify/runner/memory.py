"""Memory: the machine's size, a limit that the system enforces, and the measured use of a process and its descendants.

The enforced limit (``RLIMIT_DATA``) makes the next allocation fail at once, but counts neither shared maps
(``MAP_SHARED``, shared memory) nor the children's memory. The measured use counts both, but is looked at only now and
then. Both need Linux; other systems have one of them or none. Neither counts memory files that are written to and never
mapped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from dpverify.core.errors import InputError
from dpverify.core.watchdog_page import current_page

SHARE = 0.8
"""Part of the machine's memory that a run may use when no limit was given, so that other programs keep working."""


def check_that_memory_can_be_limited(name: str) -> None:
    """InputError where the system enforces no limit and tells nobody how much a process holds."""
    if sys.platform != "linux":
        raise InputError(
            f"{name} on this system, which enforces no such limit",
            allowed="Linux",
            remedy="leave it out, or run in a container or a virtual machine with a limit of its own",
        )


def memory_of_machine() -> int | None:
    """Memory of this machine (or container) in bytes; None when unknown."""
    found = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(found, default=None)


def share_of_machine() -> int | None:
    """Default memory limit in bytes; None when the machine's memory is unknown."""
    whole = memory_of_machine()
    return None if whole is None else int(SHARE * whole)


def limit_memory(size: int) -> None:
    """Limit this process: an allocation beyond `size` bytes fails."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        size = size if most == resource.RLIM_INFINITY else min(size, most)
        resource.setrlimit(resource.RLIMIT_DATA, (size, most))


def limit_memory_with_children(size: int | None) -> None:
    """Limit this process by the system; a watchdog, where there is one, also counts its children and shared memory."""
    if size is not None:
        limit_memory(size)
        if (page := current_page()) is not None:
            page.memory = size


def prefer_for_out_of_memory_kill() -> None:
    """Ask the system to end this process (and its children) first when the machine runs out of memory."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def use_more_than(processes: Iterable[int], size: float) -> bool:
    """Tell whether these processes together hold more than `size` bytes, private and shared.

    Memory that they share counts once.
    """
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


LARGEST = 2**28
"""Bytes of one file."""


def limit_files(size: int = LARGEST) -> None:
    """No file of this process grows beyond `size`: the write fails (where the system knows such limits)."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = size if most == resource.RLIM_INFINITY else min(size, most)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
