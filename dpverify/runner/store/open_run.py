"""One run in a store: locked while it is at work, started or resumed, and closed with its outcome."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpverify.runner.row import Row
from dpverify.runner.store.past_runs import State
from dpverify.runner.store.schema import locked
from dpverify.runner.store.store import NAME, Store


@dataclass(slots=True, kw_only=True)
class OpenRun:
    """A running run."""

    store: Store
    """Open, and locked against other runs."""
    run: int
    """This run's number there."""
    finished: int = 0
    """Number of rows that earlier attempts of this run had finished."""
    mended: list[str] = field(default_factory=list)
    """A line for each row whose checksum differed; it is made again."""
    state: State = "cut"
    """State that is saved when the run closes: ``cut`` until the caller sets ``done``."""

    def keep(self, row: Row, content: Mapping[str, Any]) -> None:
        """Save the record of a finished row; rows that were cut short are not saved."""
        if not row.cut:
            self.store.put_record(self.run, content)


@contextmanager
def open_run(
    folder: Path,
    suite: str,
    words: Mapping[str, Any],
    provenance: Mapping[str, str],
    *,
    resume: bool,
) -> Iterator[OpenRun]:
    """Begin or resume a run in the folder's store.

    A disk that gets full takes no verdict: the run goes on, and a warning says that it is not kept whole.

    Parameters
    ----------
    suite : str
        What the run is called.
    words : mapping
        The arguments that the run depends on, as plain JSON values: the run of these words is resumed.
    provenance : mapping
        What its numbers depend on beside them, by name (`provenance.check_unchanged`).

    Raises
    ------
    InputError
        When the file is no store, another run is using it, there is nothing to resume, or its code has changed.
    """
    path = folder / NAME
    with Store(path, make=not resume) as store, locked(path):
        run = store.resumable(words, provenance) if resume else store.begin(suite, words, provenance)
        mended = store.mend(run) if resume else []
        now = OpenRun(store=store, run=run, finished=store.count(run), mended=mended)
        try:
            yield now
        finally:
            store.end(run, now.state)
            if store.fault:
                sys.stderr.write(f"dpverify: warning: {store.fault}\n")
