"""Evidence pooled over test sessions: one file for each claim on one version of the code, in a folder.

The file's name holds a key of the mechanism's code, the claim, the example and the versions of packages: when one of
them changes, evidence begins anew, so that old innocence hides no new leak and old guilt fails no repair. Seeds are
counted up and never used twice: where two processes audit the same at the same time, one waits for the other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpverify.core.errors import InputError
from dpverify.runner.atomic_files import safe_name
from dpverify.runner.session import seeds_in


def evidence_file(folder: Path, name: str, key: str) -> Path:
    """Return the file in which the evidence of this audit is kept."""
    return folder / f"{safe_name(name)}.{key}.json"


def refuse_damaged(folder: Path) -> None:
    """InputError for the first file of the folder that is not what earlier sessions have written."""
    for path in sorted(folder.glob("*.json")):
        seeds_in(path)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Inside, no other process adds to this evidence; it waits for those that do. (Not on Windows.)

    InputError where the folder cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = _locked(path.with_suffix(".lock"))
    except OSError as problem:
        raise InputError(
            f"the evidence folder {path.parent}: {problem.strerror}", allowed="a folder that can be written to"
        ) from None
    try:
        yield
    finally:
        path.with_suffix(".lock").unlink(missing_ok=True)
        os.close(lock)


def _locked(beside: Path) -> int:
    """Wait for the lock; who waited for one that has been removed since waits for the new one."""
    while True:
        lock = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
        if os.name != "posix":
            return lock
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(OSError):
            if os.fstat(lock).st_ino == beside.stat().st_ino:
                return lock
        os.close(lock)
