"""What a Dask worker does: runs one audit unit, starting from its saved parts, and sends each new part.

A worker may be on another machine, so it opens no store. The saved parts are sent to it with the unit; its new parts
and evidence are sent back as JSON text, through the scheduler, in the order in which they were made. Only the client
writes to the store.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.backends import Words
from dpverify.runner.plan import Plan, suite_plan
from dpverify.runner.plan_fingerprint import fingerprint
from dpverify.runner.row import Row
from dpverify.runner.store.checkpoint import Checkpoint
from dpverify.runner.store.codec import encoded, text_of
from dpverify.runner.subprocess_guard import guarded

Say = Callable[[tuple[Any, ...]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedWork:
    """The saved work of one claim."""

    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    """Finished audits, by auditor."""
    chunks: Mapping[tuple[str, str], Mapping[int, Any]] = field(default_factory=dict)
    """Finished parts by place, by auditor and name of the series."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOrder:
    """One unit to be run."""

    words: Words
    """Arguments that the plan is made from."""
    claim: str
    """Id of the unit's claim."""
    kept: SavedWork
    """Saved work of that claim."""
    threads: int
    """Number of threads that make the parts of its counts."""
    topic: str
    """Topic that the client listens to."""
    mark: tuple[int, int]
    """Numbers of unit and attempt; they begin each message."""
    worker: str
    """Identity of the intended worker; another worker at the same address declines."""
    folder: Path | None = None
    memory: int | None = None
    """`folder`, `memory`: as in :func:`~dpverify.runner.subprocess_guard.guarded`; without a folder, printed text goes
    to the worker's log."""


class ElsewhereError(Exception):
    """The worker that the work was meant for is gone."""


class RemoteStore:
    """Takes the place of a store in a worker: holds the saved work sent with the order, and sends new work back."""

    def __init__(self, kept: SavedWork, say: Say) -> None:
        self.kept, self.say = kept, say

    def evidence(self, _run: int, _claim: str) -> dict[str, Evidence]:
        """Finished evidence that came with the work order."""
        return dict(self.kept.evidence)

    def put_evidence(self, _run: int, found: Evidence) -> None:
        """Send new evidence to the client."""
        self.say(("evidence", text_of(found)))

    def chunks(self, _run: int, _claim: str, auditor: str, name: str) -> dict[int, Any]:
        """Finished parts of one series that came with the work order."""
        return dict(self.kept.chunks.get((auditor, name), {}))

    def series(self, _run: int, _claim: str) -> dict[tuple[str, str], dict[int, Any]]:
        """Finished parts of all series that came with the work order."""
        return {where: dict(parts) for where, parts in self.kept.chunks.items()}

    def put_chunks(self, _run: int, claim: str, auditor: str, name: str, found: Iterable[tuple[int, Any]]) -> None:
        """Send new parts to the client."""
        self.say(("chunks", claim, auditor, name, encoded([list(each) for each in found])))


@cache
def _plan(words: Words) -> Plan:
    return suite_plan(registry(), **dict(words))


def identify(words: Words, claims: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """Return this worker's identity, and the fingerprint of its code and plan."""
    return _worker().id, fingerprint(plan_for_claims(_plan(words), claims))


def plan_for_claims(plan: Plan, claims: tuple[str, ...]) -> Plan:
    """The plan cut down to these claims, as far as it has them."""
    return dataclasses.replace(plan, units=tuple(unit for unit in plan.units if unit.entry.claim.id in claims))


def run_there(errand: WorkOrder) -> Row:
    """Run the unit of a work order in a worker; returns its row."""
    worker = _worker()
    if worker.id != errand.worker:
        raise ElsewhereError
    say = partial(_said, worker, errand)
    say(("begun",))
    plan = _plan(errand.words)
    unit = next(unit for unit in plan.units if unit.entry.claim.id == errand.claim)
    checkpoint = Checkpoint(RemoteStore(errand.kept, say), 0, threads=errand.threads)
    folder = errand.folder
    with nullcontext() if folder is None else guarded(folder, errand.mark[0], memory=errand.memory):
        return run_unit(unit, plan, report=lambda _message, _share: None, keeps=checkpoint)


def _said(worker: Any, errand: WorkOrder, message: tuple[Any, ...]) -> None:
    worker.log_event(errand.topic, [*errand.mark, *message])


def _worker() -> Any:
    from distributed import get_worker

    return get_worker()
