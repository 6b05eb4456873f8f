"""The tables of a store, and refusing files that are none.

A store says whose it is (``application_id``) and which version of these tables it has (``user_version``). It holds JSON
text and numbers only: reading one runs nothing. Every problem of the file is one line: not a store, a newer one,
damaged, not writable, no room.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from dpverify.core.errors import DpverifyError, InputError, one_line

APPLICATION = 0x64707666  # "dpvf"
VERSION = 1

WAIT = 60.0
"""Seconds for which a writer waits for another one; each writes for milliseconds."""

TABLES = """
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


class StoreError(DpverifyError):
    """The store failed while a run was at work: what was committed before stands."""


def connect(path: Path, *, make: bool, thorough: bool = True) -> sqlite3.Connection:
    """A connection to the store at `path`, in which every statement is a transaction of its own unless one was begun;
    `thorough` looks through the whole file first.

    Raises
    ------
    InputError
        When there is no such file (unless `make`), it is no store of ours, of another version, damaged, or cannot be
        written to. Nothing is changed then.
    """
    fresh = not path.exists() or path.stat().st_size == 0
    if fresh and not make:
        raise InputError(f"no store at {path}", allowed="the store of an earlier `dpverify run`", remedy="check --out")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as problem:
        raise _refused(path, problem) from problem
    try:
        if fresh:
            _make(connection)
        else:
            _check(connection, path, thorough=thorough)
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
    # Where no log lies beside it, all is in the file itself, and SQLite need not keep an index for other readers.
    still = not path.with_name(path.name + "-wal").exists() and not at_work(path)
    mode = "mode=ro&immutable=1" if still else "mode=ro"
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=WAIT, isolation_level=None)
        connection.execute("PRAGMA trusted_schema = OFF")  # it may be a stranger's
        _check(connection, path, thorough=True)
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
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _check(connection: sqlite3.Connection, path: Path, *, thorough: bool) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise InputError(
            f"{path} is no store of dpverify, but another program's database",
            allowed="a store that `dpverify run` made, or a free name",
            remedy="choose another --out",
        )
    if version != VERSION:
        raise InputError(
            f"{path} has tables of version {version}",
            allowed=f"version {VERSION}",
            remedy="update dpverify" if version > VERSION else "choose another --out",
        )
    faults = [row[0] for row in connection.execute("PRAGMA quick_check(1)")] if thorough else ["ok"]
    if faults != ["ok"]:
        raise sqlite3.DatabaseError(one_line(faults[0]))


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
    if not beside.exists():
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
    connection = sqlite3.connect(beside, timeout=0.0, isolation_level=None, check_same_thread=False)
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
