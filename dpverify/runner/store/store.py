"""A store: one file with all runs, their finished work, and what a resumed run still has to do.

There is one writer at a time, and each write is one transaction (SQLite in WAL mode), so a process that is killed at
any moment leaves exactly what was committed. Worker processes write their chunks and evidence directly. The main
process locks the store, so that no two runs share one. Threads share a store and take turns, since a connection has one
transaction at a time. Every row has a checksum, which is verified at every read. If the file is deleted or replaced
during a run, it is written back from the connection that is still open (`write_back`), and the run ends.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from dpverify.core.errors import InputError, one_line
from dpverify.core.evidence import Evidence
from dpverify.runner.store.checksums import damage_text, delete_damaged, intact, with_checksum, write_run_checksum
from dpverify.runner.store.codec import decoded, encoded, evidence_of, text_of
from dpverify.runner.store.past_runs import RecordSummary, Run, State, check_unchanged, record_summary
from dpverify.runner.store.schema import (
    DamagedError,
    NoRoomError,
    NoRunError,
    StoreError,
    connect,
    connect_reading,
    database_errors,
    transaction,
)

NAME = "dpverify.sqlite"


class Store:
    """The file at `path`, open; use it as a context.

    Parameters
    ----------
    path : Path
        The file.
    make : bool
        Make it where there is none.
    held : bool
        A run has locked and checked the store already, so the check is skipped.
    reading : bool
        Open for reading only; every attempt to write fails.

    Raises
    ------
    InputError
        As in :func:`~dpverify.runner.store.schema.connect`.
    """

    def __init__(self, path: Path, *, make: bool = False, held: bool = False, reading: bool = False) -> None:
        self.path = path
        self.fault = ""
        """Why what was to be kept is not; empty where it is."""
        self._turn, self._process = Lock(), os.getpid()
        self._connection = connect_reading(path) if reading else connect(path, make=make, thorough=not held)
        self._file, self._rescues, self._lost = identity(path), not held, ""

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if os.getpid() == self._process:
            self._connection.close()

    @contextmanager
    def _at_work(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; an error in a forked process, where SQLite forbids its use."""
        if os.getpid() != self._process:
            raise StoreError(f"the store {self.path} is open in another process: only that one may use it")
        with self._turn, database_errors(self.path):
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The connection, inside one transaction."""
        with self._at_work() as connection:
            self._look(connection)
            with transaction(connection):
                yield connection

    @contextmanager
    def _where_room(self) -> Iterator[None]:
        """Keep nothing on a full disk, and let the run go on: no verdict is lost with its copy."""
        try:
            yield
        except NoRoomError as problem:
            self.fault = str(problem)

    def _look(self, connection: sqlite3.Connection) -> None:
        """Check that the file was not deleted or replaced: SQLite would keep writing to the deleted file."""
        if not self._lost and identity(self.path) != self._file:
            gone = f"the store {self.path} was deleted or replaced while a run was at work on it"
            self._lost = f"{gone}; {write_back(connection, self.path)}" if self._rescues else gone
        if self._lost:
            raise StoreError(self._lost)

    # Runs

    def begin(self, suite: str, words: Mapping[str, Any], provenance: Mapping[str, str]) -> int:
        """A new run; returns its number."""
        with self._writing() as connection:
            cursor = connection.execute(
                "INSERT INTO runs (suite, words, begun, state) VALUES (?, ?, ?, 'open')",
                (suite, encoded(dict(words)), time.time()),
            )
            number = int(cursor.lastrowid or 0)
            connection.executemany(
                "INSERT INTO provenance VALUES (?, ?, ?)",
                [(number, name, value) for name, value in sorted(provenance.items())],
            )
            write_run_checksum(connection, number)
        return number

    def resumable(self, words: Mapping[str, Any], provenance: Mapping[str, str]) -> int:
        """The newest run with these arguments, to be resumed.

        InputError when there is none, or other code or packages made it, so that the numbers could differ.
        """
        wanted = decoded(encoded(dict(words)))
        for run in reversed(self.runs()):
            if run.intact is False:
                raise InputError(
                    f"run {run.number} in {self.path} is not what was written: its checksum differs",
                    allowed="a run as dpverify wrote it",
                    remedy="run without --resume to begin a new run",
                )
            if dict(run.words) == wanted:
                break
        else:
            raise NoRunError(
                f"{self.path} has no run of these words ({', '.join(f'{k} = {v}' for k, v in words.items())})",
                allowed="the suite, profile, seed and options of the run that is resumed",
                remedy="run without --resume to begin one",
            )
        check_unchanged(run, provenance, self.path)
        with self._writing() as connection:
            connection.execute("UPDATE runs SET state = 'open', ended = NULL WHERE run = ?", (run.number,))
            write_run_checksum(connection, run.number)
        return run.number

    def end(self, run: int, state: State) -> None:
        """Mark the run as `done` or `cut`."""
        if self._lost:
            return
        with self._where_room(), self._writing() as connection:
            connection.execute("UPDATE runs SET state = ?, ended = ? WHERE run = ?", (state, time.time(), run))
            write_run_checksum(connection, run)
        with self._at_work() as connection:
            self._look(connection)

    def runs(self) -> list[Run]:
        """All runs, the oldest first."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT run, suite, words, begun, ended, state, checksum FROM runs ORDER BY run"
            ).fetchall()
            marks = connection.execute("SELECT run, name, value FROM provenance ORDER BY run, name").fetchall()
        provenance: dict[int, dict[str, str]] = {}
        for number, name, value in marks:
            provenance.setdefault(number, {})[name] = value
        return [
            Run(
                number=row[0],
                suite=row[1],
                words=self._read(row[2]),
                provenance=provenance.get(row[0], {}),
                begun=row[3],
                ended=row[4],
                state=row[5],
                intact=intact(kept, *row, provenance.get(row[0], {})),
            )
            for *row, kept in rows
        ]

    def mend(self, run: int) -> list[str]:
        """Delete rows whose checksum differs, so that they are made again; returns one line for each."""
        with self._writing() as connection:
            return delete_damaged(connection, run)

    # Chunks: sufficient statistics of a part of an audit

    def chunks(self, run: int, claim: str, auditor: str, name: str) -> dict[int, Any]:
        """Finished parts of one series, by number."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT place, statistics, checksum FROM chunks "
                "WHERE run = ? AND claim = ? AND auditor = ? AND name = ?",
                (run, claim, auditor, name),
            ).fetchall()
        return {
            place: self._read(statistics, kept, "chunks", run, claim, auditor, name, place)
            for place, statistics, kept in rows
        }

    def series(self, run: int, claim: str) -> dict[tuple[str, str], dict[int, Any]]:
        """Finished parts of all series of a claim: by number, by auditor and name."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT auditor, name, place, statistics, checksum FROM chunks WHERE run = ? AND claim = ?",
                (run, claim),
            ).fetchall()
        found: dict[tuple[str, str], dict[int, Any]] = {}
        for auditor, name, place, statistics, kept in rows:
            part = self._read(statistics, kept, "chunks", run, claim, auditor, name, place)
            found.setdefault((auditor, name), {})[place] = part
        return found

    def put_chunks(self, run: int, claim: str, auditor: str, name: str, found: Iterable[tuple[int, Any]]) -> None:
        """Save finished parts in one transaction."""
        with self._where_room(), self._writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    with_checksum("chunks", run, claim, auditor, name, place, encoded(statistics))
                    for place, statistics in found
                ),
            )

    # Evidence: a finished audit

    def evidence(self, run: int, claim: str) -> dict[str, Evidence]:
        """Finished evidence of one claim, by auditor."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT auditor, content, checksum FROM evidence WHERE run = ? AND claim = ?", (run, claim)
            ).fetchall()
        return {auditor: self._evidence(content, kept, run, claim, auditor) for auditor, content, kept in rows}

    def put_evidence(self, run: int, found: Evidence) -> None:
        """Save the evidence of one auditor on one claim."""
        with self._where_room(), self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO evidence VALUES (?, ?, ?, ?, ?)",
                with_checksum("evidence", run, found.claim, found.auditor, text_of(found)),
            )

    # Records: finished rows, as reports have them

    def records(self, run: int, claim: str | None = None) -> dict[str, dict[str, Any]]:
        """Records by claim, in the order of the ids; only that of `claim` where one is given."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT claim, content, checksum FROM records WHERE run = ?1 AND claim = coalesce(?2, claim) "
                "ORDER BY claim",
                (run, claim),
            ).fetchall()
        found = {claim: self._read(content, kept, "records", run, claim) for claim, content, kept in rows}
        if not all(isinstance(record, dict) for record in found.values()):
            raise self._damaged()
        return found

    def count(self, run: int) -> int:
        """Count the records of a run."""
        with self._at_work() as connection:
            return int(connection.execute("SELECT count(*) FROM records WHERE run = ?", (run,)).fetchone()[0])

    def told(self) -> Iterator[RecordSummary]:
        """Summaries of all records, by run and claim; the records themselves are not read."""
        with self._at_work() as connection:
            short = connection.execute(
                "SELECT run, claim, verdict, surprise, seconds, checksum FROM told ORDER BY run, claim"
            ).fetchall()
            # Records of a store of version 1 have no summary; they are read one at a time.
            older = connection.execute(
                "SELECT run, claim, content FROM records WHERE NOT EXISTS "
                "(SELECT 1 FROM told WHERE told.run = records.run AND told.claim = records.claim) ORDER BY run, claim"
            )
            for *cells, kept in short:
                yield record_summary(*cells, intact=intact(kept, "told", *cells))
            for run, claim, content in older:
                record = self._read(content)
                try:
                    words = record["verdict"], bool(record.get("surprise")), record["seconds"]
                except (TypeError, LookupError, AttributeError) as problem:
                    raise self._damaged() from problem
                yield record_summary(run, claim, *words, intact=None)

    def lasted(self, suite: str) -> dict[str, float]:
        """Seconds that each claim took in the last finished run of the suite; claims never timed are absent."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT claim, seconds, MAX(run) FROM told JOIN runs USING (run) "
                "WHERE suite = ? AND state = 'done' GROUP BY claim",
                (suite,),
            ).fetchall()
        return {claim: float(seconds) for claim, seconds, _ in rows if isinstance(seconds, int | float)}

    def put_record(self, run: int, record: Mapping[str, Any]) -> None:
        """Save the record of one row."""
        claim, seconds = record["id"], record.get("seconds")
        with self._where_room(), self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)",
                with_checksum("records", run, claim, encoded(dict(record))),
            )
            verdict, surprise = str(record.get("verdict", "")), int(bool(record.get("surprise")))
            timed = float(seconds) if isinstance(seconds, int | float) else None
            connection.execute(
                "INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?, ?, ?)",
                with_checksum("told", run, claim, verdict, surprise, timed),
            )

    def _read(self, text: str, kept: str | None = None, table: str = "", *place: object) -> Any:
        """A cell of the row with this key; DamagedError when the checksum differs."""
        if intact(kept, table, *place, text) is False:
            raise self._other(table, *place)
        try:
            return decoded(text)
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            raise self._damaged() from problem

    def _evidence(self, text: str, kept: str | None, run: int, claim: str, auditor: str) -> Evidence:
        if intact(kept, "evidence", run, claim, auditor, text) is False:
            raise self._other("evidence", run, claim, auditor)
        try:
            return evidence_of(text)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise self._damaged() from problem

    def _other(self, table: str, *place: object) -> DamagedError:
        return DamagedError(f"the store {self.path}: {damage_text(table, *place)}")

    def _damaged(self) -> StoreError:
        return StoreError(f"the store {self.path} holds what dpverify did not write: move it away and run afresh")


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
