"""A limit on files that a process writes, its captured output among them: a flood ends with an error in the writer."""

from __future__ import annotations

from contextlib import suppress

LARGEST = 2**28
"""Bytes of one file."""


def limit_files(size: int = LARGEST) -> None:
    """No file of this process grows beyond `size`: the write fails (where the system knows such limits)."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = size if most == resource.RLIM_INFINITY else min(size, most)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
