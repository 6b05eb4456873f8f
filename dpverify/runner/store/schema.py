"""Defines the tables of a store, and refuses files that are no stores.

A store names its program (``application_id``) and the version of its tables (``user_version``). It holds only JSON text
and numbers, so reading it runs no code. A file with any other object (a trigger, a view, another table) is refused
before any statement uses a table. Every problem of the file is reported in one line: no store, a newer version,
damaged, not writable, no space left.

Version 2 adds a checksum for each row (`checksums`) and a summary of each record for `history`. A store of version 1 is
upgraded when a run next writes to it; its old rows stay without a checksum, and reports say so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from dpverify.core.errors import DpverifyError, InputError, one_line

APPLICATION = 0x64707666  # "dpvf"
VERSION = 2
OLDEST = 1

WAIT = 60.0
"""Seconds for which a writer waits for another one; a write takes milliseconds."""

FIRST = """
CREATE TABLE runs (
    run INTEGER PRIMARY KEY AUTOINCREMENT,
    suite TEXT NOT NULL,
    words TEXT NOT NULL,
    begun REAL NOT NULL,
    ended REAL,
    state TEXT NOT NULL CHECK (state IN ('open', 'done', 'cut'))
);
CREATE TABLE provenance (
    run INTEGER NOT NULL REFERENCES runs(run),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
CREATE TABLE chunks (
    run INTEGER NOT NULL REFERENCES runs(run),
    claim TEXT NOT NULL,
    auditor TEXT NOT NULL,
    name TEXT NOT NULL,
    place INTEGER NOT NULL,
    statistics TEXT NOT NULL,
    PRIMARY KEY (run, claim, auditor, name, place)
) WITHOUT ROWID;
CREATE TABLE evidence (
    run INTEGER NOT NULL REFERENCES runs(run),
    claim TEXT NOT NULL,
    auditor TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (run, claim, auditor)
) WITHOUT ROWID;
CREATE TABLE records (
    run INTEGER NOT NULL REFERENCES runs(run),
    claim TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (run, claim)
) WITHOUT ROWID;
"""
"""Version 1."""

SINCE = """
ALTER TABLE runs ADD COLUMN checksum TEXT;
ALTER TABLE chunks ADD COLUMN checksum TEXT;
ALTER TABLE evidence ADD COLUMN checksum TEXT;
ALTER TABLE records ADD COLUMN checksum TEXT;
CREATE TABLE told (
    run INTEGER NOT NULL REFERENCES runs(run),
    claim TEXT NOT NULL,
    verdict TEXT NOT NULL,
    surprise INTEGER NOT NULL,
    seconds REAL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (run, claim)
) WITHOUT ROWID;
"""
"""Statements that upgrade version 1 to version 2."""

AS_SINCE = """
CREATE TEMP VIEW runs AS SELECT *, NULL AS checksum FROM main.runs;
CREATE TEMP VIEW chunks AS SELECT *, NULL AS checksum FROM main.chunks;
CREATE TEMP VIEW evidence AS SELECT *, NULL AS checksum FROM main.evidence;
CREATE TEMP VIEW records AS SELECT *, NULL AS checksum FROM main.records;
CREATE TEMP TABLE told (
    run INTEGER, claim TEXT, verdict TEXT, surprise INTEGER, seconds REAL, checksum TEXT, PRIMARY KEY (run, claim)
) WITHOUT ROWID;
"""
"""Temporary views with which a store of version 1 is read like one of version 2."""


class NoRunError(InputError):
    """There is no such run to resume, or no store."""


class StoreError(DpverifyError):
    """The store failed during a run; everything committed before is kept."""


class NoRoomError(StoreError):
    """The disk is full."""


class DamagedError(StoreError):
    """The checksum of a row differs."""


def connect(path: Path, *, make: bool, thorough: bool = True) -> sqlite3.Connection:
    """Connect to the store at `path`; `thorough` first checks the whole file.

    Every statement is a separate transaction unless one was begun.

    Raises
    ------
    InputError
        When there is no such file (unless `make`), or it is no dpverify store, of an unknown version, damaged, or not
        writable. Nothing is changed then.
    """
    _regular(path)
    fresh = not path.exists() or path.stat().st_size == 0
    if fresh and not make:
        raise NoRunError(f"no store at {path}", allowed="the store of an earlier `dpverify run`", remedy="check --out")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as problem:
        raise _refused(path, problem) from problem
    try:
        connection.execute("PRAGMA trusted_schema = OFF")  # it may be a stranger's
        if fresh:
            _make(connection)
        else:
            _check(connection, path, thorough=thorough)
            _bring_up(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")  # fail now if the file is not writable
        connection.execute("ROLLBACK")
    except BaseException as problem:
        connection.close()
        if isinstance(problem, sqlite3.Error):
            raise _refused(path, problem) from problem
        raise
    return connection


def connect_reading(path: Path) -> sqlite3.Connection:
    """A connection that only reads, and creates no file beside a store that no process has open.

    InputError as in `connect`, except that the store need not be writable.
    """
    if not path.exists():
        raise InputError(
            f"no store at {path}", allowed="the store of an earlier `dpverify run`", remedy="check the folder"
        )
    _regular(path)
    # Without a log beside the file, the file is complete, and SQLite needs no shared index.
    still = not path.with_name(path.name + "-wal").exists() and not in_use(path)
    mode = "mode=ro&immutable=1" if still else "mode=ro"
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=WAIT, isolation_level=None)
        connection.execute("PRAGMA trusted_schema = OFF")  # it may be a stranger's
        if _check(connection, path, thorough=False) < VERSION:
            connection.executescript(AS_SINCE)
    except BaseException as problem:
        if connection is not None:
            connection.close()
        if isinstance(problem, sqlite3.Error):
            raise _refused(path, problem) from problem
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        if connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION:
            return  # another process has made the tables meanwhile
        for statement in _statements(FIRST) + _statements(SINCE):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _bring_up(connection: sqlite3.Connection) -> None:
    """Upgrade a store of version 1."""
    with transaction(connection):
        if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            return
        for statement in _statements(SINCE):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _statements(text: str) -> list[str]:
    return [statement for statement in text.split(";\n") if statement.strip()]


@cache
def _objects(version: int) -> frozenset[tuple[str, str, str]]:
    """Type, name and text of every table that a store of this version has."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in _statements(FIRST) + (_statements(SINCE) if version > 1 else []):
            connection.execute(statement)
        return frozenset(connection.execute(_MASTER))


_MASTER = "SELECT type, name, coalesce(sql, '') FROM sqlite_master"
_OWN = {("table", "sqlite_stat1"), ("table", "sqlite_stat4")}  # made by SQLite's ANALYZE


def _check(connection: sqlite3.Connection, path: Path, *, thorough: bool) -> int:
    """The version of the tables; InputError where the file is no store that this version can read."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application != APPLICATION:
        raise InputError(
            f"{path} is no store of dpverify, but another program's database",
            allowed="a store that `dpverify run` made, or a free name",
            remedy="choose another --out",
        )
    if not OLDEST <= version <= VERSION:
        raise InputError(
            f"{path} has tables of version {version}",
            allowed=f"versions {OLDEST} to {VERSION}",
            remedy="update dpverify" if version > VERSION else "choose another --out",
        )
    present = frozenset(one for one in connection.execute(_MASTER) if one[:2] not in _OWN)
    if other := sorted(present ^ _objects(version)):
        kind, name, _ = other[0]
        what = f"has a {kind} {one_line(str(name))[:40]!r} that dpverify did not make" if other[0] in present else ""
        raise InputError(
            f"{path} {what or f'lacks the {kind} {name}'}",
            allowed="a store as `dpverify run` makes it: nothing else in the file can act",
            remedy="move it away and run without --resume",
        )
    faults = [row[0] for row in connection.execute("PRAGMA quick_check(1)")] if thorough else ["ok"]
    if faults != ["ok"]:
        raise sqlite3.DatabaseError(one_line(faults[0]))
    return version


def _regular(path: Path) -> None:
    """Refuse anything but a regular file: SQLite would wait for a pipe for ever."""
    for each in (path, *(path.with_name(path.name + ending) for ending in (".lock", "-wal", "-shm", "-journal"))):
        if each.exists() and not each.is_file():
            raise InputError(
                f"cannot use the store {path}: {each.name} is no regular file",
                allowed="a store that `dpverify run` made, or a free name",
                remedy="move it away, or choose another --out",
            )


def _refused(path: Path, problem: Exception) -> InputError:
    text = str(problem).lower()
    if isinstance(problem, OSError) or "readonly" in text or "unable to open" in text:
        return InputError(f"cannot write to the store {path}: {problem}", allowed="a file that can be written to")
    if "locked" in text:
        return InputError(
            f"the store {path} is held by another program", allowed="one writer at a time", remedy="wait for it to end"
        )
    if "full" in text:
        return InputError(f"no room for the store {path}: {problem}", allowed="a disk with room left")
    return InputError(
        f"{path} is damaged or no store: {problem}",
        allowed="a store that `dpverify run` made",
        remedy="move it away and run without --resume",
    )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction: written as a whole or not at all, even when a time limit or Ctrl-C interrupts it."""
    if connection.in_transaction:  # left by an interrupt that prevented its rollback
        connection.execute("ROLLBACK")
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn failures of the database into a StoreError of one line."""
    try:
        yield
    except sqlite3.Error as problem:
        failed = NoRoomError if "full" in str(problem) else StoreError
        raise failed(
            f"the store {path} failed: {problem}; what was committed before stands: mend it and run with --resume"
        ) from problem


def in_use(path: Path) -> bool:
    """Tell whether a run is using the store now; does not lock it."""
    beside = path.with_name(path.name + ".lock")
    if not beside.is_file():
        return False
    with closing(sqlite3.connect(f"{beside.resolve().as_uri()}?mode=ro", uri=True, timeout=0.0)) as connection:
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as problem:
            return "locked" in str(problem)
    return False


def locked(path: Path) -> closing[sqlite3.Connection]:
    """Lock the store for one run, until it is closed or this process ends.

    InputError when another run has locked it.
    """
    beside = path.with_name(path.name + ".lock")
    _regular(path)
    try:
        connection = sqlite3.connect(beside, timeout=0.0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as problem:
        raise _refused(beside, problem) from problem
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as problem:
        connection.close()
        if "locked" in str(problem):
            raise InputError(
                f"another run is at work on the store {path}",
                allowed="one run at a time on a store",
                remedy="wait for it to end, or choose another --out",
            ) from problem
        raise _refused(beside, problem) from problem
    return closing(connection)
