"""A store: the runs in one file, what each has finished, and where the next one goes on.

One writer at a time, each write one transaction (SQLite in WAL mode): whoever is killed, at whatever moment, leaves
what was committed and nothing else. Worker processes write their own chunks and evidence; the process that runs the
whole holds the store, so that no two runs share one. Threads share a store and take turns: a connection has one
transaction at a time.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.runner.store.codec import decoded, encoded, evidence_of, text_of
from dpverify.runner.store.schema import StoreError, begun, connect, connect_reading, told

State = Literal["open", "done", "cut"]
NAME = "dpverify.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run in a store.

    Attributes
    ----------
    number : int
        Counted from 1 in the order in which runs began.
    suite : str
        What was audited.
    words : mapping
        Everything that the plan follows from.
    provenance : mapping of str to str
        Code and packages that the numbers depend on.
    begun : float
        Seconds since 1970.
    ended : float or None
        Likewise; None while it is at work, and after a kill.
    state : str
        ``open`` (at work, or killed), ``cut`` (stopped by a limit or by hand) or ``done``.
    """

    number: int
    suite: str
    words: Mapping[str, Any]
    provenance: Mapping[str, str]
    begun: float
    ended: float | None
    state: State


class Store:
    """The file at `path`, open; use it as a context.

    Parameters
    ----------
    path : Path
        The file.
    make : bool
        Make it where there is none.
    held : bool
        A run holds it, and has looked through it: not looked through again.
    reading : bool
        Only to be read: every attempt to write fails.

    Raises
    ------
    InputError
        As :func:`~dpverify.runner.store.schema.connect` says.
    """

    def __init__(self, path: Path, *, make: bool = False, held: bool = False, reading: bool = False) -> None:
        self.path = path
        self._turn, self._process = Lock(), os.getpid()
        self._connection = connect_reading(path) if reading else connect(path, make=make, thorough=not held)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        if os.getpid() == self._process:
            self._connection.close()

    @contextmanager
    def _at_work(self) -> Iterator[sqlite3.Connection]:
        """The connection, to one thread at a time, and to nobody in a process that was forked from this one: SQLite
        forbids that."""
        if os.getpid() != self._process:
            raise StoreError(f"the store {self.path} is open in another process: only that one may use it")
        with self._turn, told(self.path):
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The same in one transaction."""
        with self._at_work() as connection, begun(connection):
            yield connection

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
        return number

    def resumable(self, words: Mapping[str, Any], provenance: Mapping[str, str]) -> int:
        """The newest run of these words, to be gone on with.

        Raises
        ------
        InputError
            When there is none, or when it was made by other code or packages: its numbers would not fit.
        """
        wanted = decoded(encoded(dict(words)))
        for run in reversed(self.runs()):
            if dict(run.words) == wanted:
                break
        else:
            raise InputError(
                f"{self.path} has no run of these words ({', '.join(f'{k} = {v}' for k, v in words.items())})",
                allowed="the suite, profile, seed and options of the run that is resumed",
                remedy="run without --resume to begin one",
            )
        changed = sorted(
            name
            for name in {*run.provenance, *provenance}
            if run.provenance.get(name, "absent") != provenance.get(name, "absent")
        )
        if changed:
            told_changes = ", ".join(
                f"{name} {run.provenance.get(name, 'absent')} then, {provenance.get(name, 'absent')} now"
                for name in changed
            )
            raise InputError(
                f"run {run.number} in {self.path} was made by other code or from other data: {told_changes}",
                allowed="the same code, packages, machine, data sets and saved failures, so that the numbers are the "
                "same to the bit",
                remedy="run without --resume to begin a new run",
            )
        with self._writing() as connection:
            connection.execute("UPDATE runs SET state = 'open', ended = NULL WHERE run = ?", (run.number,))
        return run.number

    def end(self, run: int, state: State) -> None:
        """The run is over, `done` or `cut`."""
        with self._writing() as connection:
            connection.execute("UPDATE runs SET state = ?, ended = ? WHERE run = ?", (state, time.time(), run))

    def runs(self) -> list[Run]:
        """All of them, the oldest first."""
        with self._at_work() as connection:
            rows = connection.execute("SELECT run, suite, words, begun, ended, state FROM runs ORDER BY run").fetchall()
            marks = connection.execute("SELECT run, name, value FROM provenance").fetchall()
        provenance: dict[int, dict[str, str]] = {}
        for number, name, value in marks:
            provenance.setdefault(number, {})[name] = value
        return [
            Run(
                number=number,
                suite=suite,
                words=self._read(words),
                provenance=provenance.get(number, {}),
                begun=begins,
                ended=ends,
                state=state,
            )
            for number, suite, words, begins, ends, state in rows
        ]

    # Chunks: sufficient statistics of a part of an audit

    def chunks(self, run: int, claim: str, auditor: str, name: str) -> dict[int, Any]:
        """What is finished of one series, by place."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT place, statistics FROM chunks WHERE run = ? AND claim = ? AND auditor = ? AND name = ?",
                (run, claim, auditor, name),
            ).fetchall()
        return {place: self._read(statistics) for place, statistics in rows}

    def series(self, run: int, claim: str) -> dict[tuple[str, str], dict[int, Any]]:
        """All that is finished of a claim's series: by place, by auditor and name."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT auditor, name, place, statistics FROM chunks WHERE run = ? AND claim = ?", (run, claim)
            ).fetchall()
        found: dict[tuple[str, str], dict[int, Any]] = {}
        for auditor, name, place, statistics in rows:
            found.setdefault((auditor, name), {})[place] = self._read(statistics)
        return found

    def put_chunks(self, run: int, claim: str, auditor: str, name: str, found: Iterable[tuple[int, Any]]) -> None:
        """More of it, all or nothing."""
        with self._writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?)",
                [(run, claim, auditor, name, place, encoded(statistics)) for place, statistics in found],
            )

    # Evidence: a finished audit

    def evidence(self, run: int, claim: str) -> dict[str, Evidence]:
        """Of one claim, by auditor."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT auditor, content FROM evidence WHERE run = ? AND claim = ?", (run, claim)
            ).fetchall()
        return {auditor: self._evidence(content) for auditor, content in rows}

    def put_evidence(self, run: int, found: Evidence) -> None:
        """That of one auditor on one claim."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO evidence VALUES (?, ?, ?, ?)", (run, found.claim, found.auditor, text_of(found))
            )

    # Records: finished rows, as reports have them

    def records(self, run: int) -> dict[str, dict[str, Any]]:
        """By claim, in the order of their ids."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT claim, content FROM records WHERE run = ? ORDER BY claim", (run,)
            ).fetchall()
        return {claim: self._read(content) for claim, content in rows}

    def lasted(self, suite: str) -> dict[str, float]:
        """Seconds that each claim took when a finished run of the suite last had it; without those never timed."""
        with self._at_work() as connection:
            rows = connection.execute(
                "SELECT claim, content, MAX(run) FROM records JOIN runs USING (run) "
                "WHERE suite = ? AND state = 'done' GROUP BY claim",
                (suite,),
            ).fetchall()
        found = {claim: self._read(content).get("seconds") for claim, content, _ in rows}
        return {claim: float(seconds) for claim, seconds in found.items() if isinstance(seconds, int | float)}

    def put_record(self, run: int, record: Mapping[str, Any]) -> None:
        """That of one row."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO records VALUES (?, ?, ?)", (run, record["id"], encoded(dict(record)))
            )

    def _read(self, text: str) -> Any:
        try:
            return decoded(text)
        except (ValueError, TypeError, KeyError) as problem:
            raise self._damaged() from problem

    def _evidence(self, text: str) -> Evidence:
        try:
            return evidence_of(text)
        except (ValueError, TypeError, KeyError, AttributeError) as problem:
            raise self._damaged() from problem

    def _damaged(self) -> StoreError:
        return StoreError(f"the store {self.path} holds what dpverify did not write: move it away and run afresh")
