"""Recovers a store whose file was deleted during a run, from the connection that is still open."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from dpverify.core.errors import one_line


def identity(path: Path) -> tuple[int, int] | None:
    """Identity of the file at `path` (device and inode); None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def write_back(connection: sqlite3.Connection, path: Path) -> str:
    """Write the open database back to `path`, or beside it where another file has the name; returns where, in words."""
    target = path if identity(path) is None else path.with_name(f"{path.stem}.rescued-{os.getpid()}{path.suffix}")
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
        part.replace(target)
    except (OSError, sqlite3.Error) as problem:
        part.unlink(missing_ok=True)
        return f"it could not be written back: {one_line(str(problem))}"
    if target == path:
        return "what had been finished was written back: go on with --resume"
    return f"what had been finished is in {target}"
