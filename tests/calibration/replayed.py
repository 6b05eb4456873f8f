"""Finished cells of other sources than are here now: a small part is made again, and where it is the same they stay.

The part is the cell's first audits, with their own seeds, compared to the bit (`dpverify.ledger.partial_replays`). A
cell whose part is the same is ``replayed``, and shown as such, never ``done``: a rare branch may lie beyond the first
audits. Before a release all cells are made again, into an empty folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import joblib

from dpverify.core.auditing import Auditor
from dpverify.core.errors import DpverifyError, one_line
from dpverify.ledger.partial_replays import digest_of, exact_numbers
from dpverify.runner.thread_limits import one_thread
from tests.calibration.boundaries import Boundary
from tests.calibration.harness import boundary_task
from tests.calibration.shortened import shortened

FIRST = 3
"""Audits of a part."""

SAID = f"the first {FIRST} audits of each were made again since, and came out the same to the bit"


def state(cell: Mapping[str, Any], key: Mapping[str, Any]) -> str:
    """``done``, ``replayed`` or ``stale``: whether a kept cell agrees with all that it must."""
    if not _same_but_for_sources(cell, key):
        return "stale"
    if cell["sources"] == key["sources"]:
        return "done"
    return "replayed" if cell.get("replayed") == key["sources"] else "stale"


def replayable(cell: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    """Whether nothing but its sources has changed, and it says what its part is."""
    return "part" in cell and state(cell, key) == "stale" and _same_but_for_sources(cell, key)


def _same_but_for_sources(cell: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    """A version is what people call the sources, so it is none of what must be the same."""
    return {name: value for name, value in key.items() if name not in ("sources", "version")}.items() <= cell.items()


def first_audits(auditor: Auditor, boundary: Boundary, *, alpha: float, trials: int, seed: int) -> str:
    """Digest of the first audits of a cell of this seed."""
    found = []
    with one_thread(), shortened():
        for repetition in range(FIRST):
            task = boundary_task(auditor, boundary, alpha=alpha, trials=trials, seed=seed, repetition=repetition)
            try:
                found.append(exact_numbers(auditor.audit(task)))
            except DpverifyError as problem:
                found.append(one_line(str(problem)))
    return digest_of(found)


def parts(todo: Iterable[Callable[[], str]], *, jobs: int) -> list[str]:
    """The parts of many cells, each made by a picklable callable."""
    return list(joblib.Parallel(n_jobs=jobs, batch_size=1)(joblib.delayed(one)() for one in todo))
