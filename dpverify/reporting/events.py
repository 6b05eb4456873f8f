"""Progress for machines: a file of JSON lines, one an event (schema: ``dpverify/reporting/events.schema.json``).

Each line is written and flushed as a whole, so that a reader may follow the file. Steps of one claim are written at
most twice a second; its start and its end always are. No decision uses these numbers: bounds so far belong to no
confidence level.
"""

from __future__ import annotations

import json
import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpverify.core.errors import InputError
from dpverify.core.printable import visible
from dpverify.reporting.progress import progress_numbers
from dpverify.runner.record import plain

if TYPE_CHECKING:
    from dpverify.runner.row import Row
    from dpverify.runner.watcher import Watcher

SCHEMA_VERSION = 1
EVERY = 0.5
"""Seconds between two steps of one claim."""


class EventFile:
    """Writes the events of a run.

    Parameters
    ----------
    path : Path or None
        The file; one that is there is replaced. None writes nothing.

    Raises
    ------
    InputError
        When the file cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._begun, self._lock = time.monotonic(), threading.Lock()
        self._last: dict[str, float] = {}
        self._verdicts: Counter[str] = Counter()
        try:
            self._file = None if path is None else path.open("w", encoding="utf-8")
        except OSError as problem:
            raise InputError(
                f"--events {path} cannot be written ({problem.strerror})", allowed="a file in a folder that is there"
            ) from None

    def run_started(self, claims: int, title: str) -> None:
        """The run begins, with so many claims."""
        self._write("run_started", {"claims": claims, "title": visible(title)})

    def claim_started(self, claim: str) -> None:
        """The audit of a claim begins; said once, before anything else of that claim."""
        if claim not in self._last:
            self._last[claim] = -math.inf
            self._write("claim_started", {"claim": visible(claim)})

    def progress(self, claim: str, message: str, share: float) -> None:
        """The audit is at `share` of its present auditor."""
        self.claim_started(claim)
        now = time.monotonic()
        if now - self._last[claim] < EVERY:
            return
        self._last[claim] = now
        said = {"claim": visible(claim), "message": visible(message), "share": round(min(max(share, 0.0), 1.0), 4)}
        self._write("progress", said | progress_numbers(message))

    def claim_finished(self, row: Row) -> None:
        """The verdict of the audit."""
        self.claim_started(row.id)
        leading = row.verdict.leading
        self._verdicts[str(row.verdict.status)] += 1
        found: dict[str, Any] = {"claim": visible(row.id), "verdict": str(row.verdict.status)}
        if leading is not None:
            found |= {"measure": leading.measure.label(), "claimed": leading.measure.claimed, "bound": leading.bound}
            found |= {"confidence": leading.confidence, "detectable": leading.detectable, "draws": leading.trials}
        self._write("claim_finished", found)

    def run_finished(self) -> None:
        """The run is over, with so many verdicts of each kind."""
        self._write("run_finished", {"verdicts": dict(sorted(self._verdicts.items()))})

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):  # of what could not be written
                self._file.close()

    def _write(self, event: str, words: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        with self._lock:
            seconds = round(time.monotonic() - self._begun, 3)
            line = {"schema": SCHEMA_VERSION, "event": event, "seconds": seconds, **plain(words)}
            try:
                self._file.write(json.dumps(line) + "\n")
                self._file.flush()
            except OSError as problem:  # the audit is worth more than its progress
                sys.stderr.write(f"dpverify: --events cannot be written any more ({problem.strerror})\n")
                self.close()
                self._file = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWatcher:
    """Writes what a run tells its watcher, and passes it on to another one."""

    events: EventFile
    beside: Watcher

    def start(self, claim: str) -> None:
        """Note that an audit begins."""
        self.events.claim_started(claim)
        self.beside.start(claim)

    def step(self, claim: str, message: str, share: float) -> None:
        """An audit is at `share` of its present auditor."""
        self.events.progress(claim, message, share)
        self.beside.step(claim, message, share)

    def finish(self, row: Row) -> None:
        """Note that an audit is finished."""
        self.events.claim_finished(row)
        self.beside.finish(row)


@contextmanager
def event_file(path: Path | None, *, claims: int, title: str) -> Iterator[EventFile]:
    """The events of a run: its first and its last are written here.

    InputError when the file cannot be written.
    """
    events = EventFile(path)
    try:
        events.run_started(claims, title)
        yield events
        events.run_finished()
    finally:
        events.close()
