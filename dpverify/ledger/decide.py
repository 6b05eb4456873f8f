"""Decides rows again: runs the papers' suite, restricted to these rows, with the runner and its store."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError, one_line
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.ledger import committed_records
from dpverify.ledger.partial_replays import ledger_plan, with_parts
from dpverify.ledger.stale import code_of
from dpverify.runner.atomic_files import check_folder
from dpverify.runner.execute import execute
from dpverify.runner.plan import Plan
from dpverify.runner.plan_fingerprint import known_by
from dpverify.runner.record import plain, record
from dpverify.runner.row import Row
from dpverify.runner.store.open_run import OpenRun, open_run
from dpverify.runner.thread_limits import one_thread
from dpverify.runner.watcher import Silent, Watcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """The settings of a rerun of rows."""

    profile: str = "quick"
    """``quick`` or ``full``; rows of the full profile alone are left as they are by a quick one."""
    jobs: int = 1
    """Audits at a time."""
    seed: int = 0
    """Same seed, same numbers."""
    out: Path | None = None
    """Each record is written there as soon as its row is whole."""
    store: Path | None = None
    """The folder of a store: what is finished is kept there, so that `resume` can go on with it."""
    resume: bool = False
    """Continue the run in `store` that was started with the same options and rows."""
    watch: Callable[[int], AbstractContextManager[Watcher]] | None = None
    """Makes the watcher of so many rows."""

    def __post_init__(self) -> None:
        if self.resume and self.store is None:
            raise InputError("--resume without --store", allowed="the folder that the earlier run was kept in")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """Records by id; how many rows an interruption left, and how many the profile has not."""

    records: dict[str, Record]
    left: int = 0
    skipped: int = 0


def rerun_rows(registry: Registry, ids: Sequence[str], how: Rerun) -> Decided:
    """The records of these claims, decided now.

    InputError when none of them is in the profile; for a folder that cannot be written to; for nothing to resume.
    """
    plan = _plan(registry, ids, how)
    if how.out is not None:
        check_folder(how.out)
    found: dict[str, Record] = {}
    watching = how.watch(len(plan.units)) if how.watch else nullcontext(Silent())
    with _open_run(plan, how) as now, watching as watcher:

        def keep(row: Row) -> None:
            if row.cut:
                return
            found[row.id] = finished(registry, row, how)
            if how.out is not None:
                committed_records.write_records([found[row.id]], how.out)
            if now is not None:
                now.keep(row, found[row.id])

        at_a_time = min(how.jobs, len(plan.units))
        execute(
            plan,
            jobs=how.jobs,
            backend="processes" if at_a_time > 1 else "threads",  # a process of its own would plan the ledger again
            watcher=watcher,
            store=now.store if now else None,
            run=now.run if now else 0,
            keep=keep,
        )
        left = len(plan.units) - len(found)
        if now and not left:
            now.state = "done"
    found = with_parts(registry, found, jobs=how.jobs)
    if how.out is not None:
        committed_records.write_records(list(found.values()), how.out)
    return Decided(records=found, left=left, skipped=len(ids) - len(plan.units))


def finished(registry: Registry, row: Row, how: Rerun) -> Record:
    """A row's record with its code, its remark, and the command of the ledger that gives it back."""
    found = record(row)
    claim = row.entry.claim
    found["reproduce"] = reproduce(claim.id, profile=how.profile, seed=how.seed)
    found["code"] = code_of(registry, claim, [part["auditor"] for part in found["evidence"]])
    found["remark"] = remark_record(registry, claim.id, found["verdict"])
    return found


def reproduce(claim_id: str, *, profile: str = "quick", seed: int = 0) -> str:
    """The one command; what is at its default is left out."""
    words = ["dpverify ledger --id", claim_id, "--rerun"]
    words += ["--profile", profile] if profile != "quick" else []
    return " ".join(words + (["--seed", str(seed)] if seed else []))


def _plan(registry: Registry, ids: Sequence[str], how: Rerun) -> Plan:
    plan = ledger_plan(registry, profile=how.profile, seed=how.seed)
    units = tuple(unit for unit in plan.units if unit.entry.claim.id in set(ids))
    if ids and not units:
        raise InputError(
            f"--rerun of {', '.join(ids[:3])}{' ...' if len(ids) > 3 else ''} with the {how.profile} profile",
            allowed="rows that it decides",
            remedy="these take longer: pass --profile full",
        )
    return replace(plan, units=units)


@contextmanager
def _open_run(plan: Plan, how: Rerun) -> Iterator[OpenRun | None]:
    if how.store is None:
        yield None
        return
    check_folder(how.store)
    rows = [unit.entry.claim.id for unit in plan.units]
    with open_run(how.store, *known_by(plan, only="*", rows=rows), resume=how.resume) as now:
        if now.finished:
            sys.stderr.write(f"Resuming run {now.run}: {now.finished} of {len(rows)} rows were finished.\n")
        yield now


DECIDED = ("refuted", "certified", "not_refuted")
"""Verdicts beside which a remark can stand."""


def remark_record(registry: Registry, claim_id: str, verdict: str) -> dict[str, Any] | None:
    """The remark of a decided claim, computed now; None where there is none, or nothing was decided.

    A computation that fails shows nothing, and says so.
    """
    if verdict not in DECIDED or claim_id not in registry.remarks:
        return None
    remark = registry.remarks.get(claim_id)
    words = {"breaks": remark.breaks, "means": remark.means, "instead": remark.instead}
    try:
        with one_thread():
            shown = remark.shown()
    except Exception as problem:  # noqa: BLE001 - a remark decides nothing, so nothing that it does stops a ledger
        return {
            **words,
            "numbers": [],
            "holds": False,
            "problem": f"{type(problem).__name__}: {one_line(str(problem))}",
        }
    numbers = [{"label": label, "value": plain(float(value))} for label, value in shown.numbers]
    return {**words, "numbers": numbers, "holds": bool(shown.holds)}


def with_current_names(registry: Registry, claim_id: str, kept: Record) -> Record:
    """A kept remark whose words were polished since, while its code (hence its numbers) stayed: in the new words."""
    if not (said := kept.get("remark")) or claim_id not in registry.remarks:
        return kept
    remark = registry.remarks.get(claim_id)
    words = {"breaks": remark.breaks, "means": remark.means, "instead": remark.instead}
    return {**kept, "remark": {**said, **words}}
