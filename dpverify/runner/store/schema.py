"""The tables of a store, and refusing files that are none.

A store says whose it is (``application_id``) and which version of these tables it has (``user_version``). It holds JSON
text and numbers only: reading one runs nothing. A file with any object that is not ours (a trigger, a view, another
table) is refused before a statement touches a table. Every problem of the file is one line: not a store, a newer one,
damaged, not writable, no room.

Version 2 has a checksum a row (`checksums`) and the few numbers of a record that `history` shows. A store of version 1
is given both when a run next writes to it; what stands in it stays without a checksum, and is told as such.
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
"""Seconds for which a writer waits for another one; each writes for milliseconds."""

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
"""What version 2 has besides."""

AS_SINCE = """
CREATE TEMP VIEW runs AS SELECT *, NULL AS checksum FROM main.runs;
CREATE TEMP VIEW chunks AS SELECT *, NULL AS checksum FROM main.chunks;
CREATE TEMP VIEW evidence AS SELECT *, NULL AS checksum FROM main.evidence;
CREATE TEMP VIEW records AS SELECT *, NULL AS checksum FROM main.records;
CREATE TEMP TABLE told (
    run INTEGER, claim TEXT, verdict TEXT, surprise INTEGER, seconds REAL, checksum TEXT, PRIMARY KEY (run, claim)
) WITHOUT ROWID;
"""
"""A store of version 1, read as if it had been given that."""


class StoreError(DpverifyError):
    """The store failed while a run was at work: what was committed before stands."""


class DamagedError(StoreError):
    """A row is not what was written."""


def connect(path: Path, *, make: bool, thorough: bool = True) -> sqlite3.Connection:
    """A connection to the store at `path`, in which every statement is a transaction of its own unless one was begun;
    `thorough` looks through the whole file first.

    Raises
    ------
    InputError
        When there is no such file (unless `make`), it is no store of ours, of another version, damaged, or cannot be
        written to. Nothing is changed then.
    """
    _regular(path)
    fresh = not path.exists() or path.stat().st_size == 0
    if fresh and not make:
        raise InputError(f"no store at {path}", allowed="the store of an earlier `dpverify run`", remedy="check --out")
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
        connection.execute("BEGIN IMMEDIATE")  # a file that cannot be written to says so now
        connection.execute("ROLLBACK")
    except BaseException as problem:
        connection.close()
        if isinstance(problem, sqlite3.Error):
            raise _refused(path, problem) from problem
        raise
    return connection


def connect_reading(path: Path) -> sqlite3.Connection:
    """A connection that only reads; nothing is made beside a store that nobody has open.

    Raises
    ------
    InputError
        As `connect` says; that a store cannot be written to is no problem.
    """
    if not path.exists():
        raise InputError(
            f"no store at {path}", allowed="the store of an earlier `dpverify run`", remedy="check the folder"
        )
    _regular(path)
    # Where no log lies beside it, all is in the file itself, and SQLite need not keep an index for other readers.
    still = not path.with_name(path.name + "-wal").exists() and not at_work(path)
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
    with begun(connection):
        if connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION:
            return  # another process was first
        for statement in _statements(FIRST) + _statements(SINCE):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _bring_up(connection: sqlite3.Connection) -> None:
    """Give a store of version 1 what it lacks."""
    with begun(connection):
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
_OWN = {("table", "sqlite_stat1"), ("table", "sqlite_stat4")}  # where somebody has told SQLite to ANALYZE


def _check(connection: sqlite3.Connection, path: Path, *, thorough: bool) -> int:
    """The version of its tables; InputError where the file is no store that this program reads."""
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
    """Refuse what is no file: SQLite would wait for a pipe for ever."""
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
def begun(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction: all of it or nothing, wherever a time limit or Ctrl-C breaks into it."""
    if connection.in_transaction:  # one that was broken into where nothing could undo it
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
def told(path: Path) -> Iterator[None]:
    """Failures of the database at work as one line."""
    try:
        yield
    except sqlite3.Error as problem:
        raise StoreError(
            f"the store {path} failed: {problem}; what was committed before stands: mend it and run with --resume"
        ) from problem


def at_work(path: Path) -> bool:
    """Whether a run holds the store now; asked without holding it."""
    beside = path.with_name(path.name + ".lock")
    if not beside.is_file():
        return False
    with closing(sqlite3.connect(f"{beside.resolve().as_uri()}?mode=ro", uri=True, timeout=0.0)) as connection:
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as problem:
            return "locked" in str(problem)
    return False


def held(path: Path) -> closing[sqlite3.Connection]:
    """Hold the store for one run, until closed or until this process dies.

    Raises
    ------
    InputError
        When another run holds it.
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
