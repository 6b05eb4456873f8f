"""Temporary folders: each is locked while its owner lives; folders of dead owners are removed later.

A lock (``flock``) ends with the processes that hold it, however they end. Unlike a process id, it is visible across
containers that share a temporary directory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX, LOCK = "dpverify-run-", ".lock"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A temporary folder; removed afterwards, or by the next `remove_abandoned_folders` if this process is killed."""
    remove_abandoned_folders()
    folder, lock = _made()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # a subject may have closed the lock
            os.close(lock)


def remove_abandoned_folders() -> None:
    """Remove this user's folders of killed processes: those with a lock file that no process holds."""
    with suppress(OSError):
        for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
            with suppress(OSError):
                if lock.parent.is_symlink() or lock.is_symlink() or lock.stat().st_uid != os.getuid():
                    continue
                held = os.open(lock, os.O_RDWR)
                if _held(held):
                    shutil.rmtree(lock.parent, ignore_errors=True)
                os.close(held)


def _made() -> tuple[Path, int]:
    """Make a folder and lock it; tries again if another process removed it in between."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        if _held(lock) and (folder / LOCK).exists():
            return folder, lock
        os.close(lock)


def _held(lock: int) -> bool:
    """Try to take the lock; True where the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
