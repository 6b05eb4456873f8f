"""The runs in a store, and how each claim's bound changed from run to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from dpverify.core.errors import InputError, one_line
from dpverify.core.record import Record
from dpverify.core.verdict import Status
from dpverify.runner.store.checksums import damage_text
from dpverify.runner.store.past_runs import RecordSummary, Run
from dpverify.runner.store.schema import DamagedError, StoreError, in_use
from dpverify.runner.store.store import Store

OURS = "a store made by `dpverify run`"
AT_WORK, INTERRUPTED = "at work", "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """One past run."""

    number: int
    begun: str
    ended: str
    """`begun`, `ended`: ISO 8601, local time with its offset; `ended` is empty while it is open."""
    suite: str
    words: Mapping[str, Any]
    state: str
    """``done``, ``cut``, ``at work`` (unfinished, and a run holds the store) or ``interrupted`` (unfinished, no run
    holds it)."""
    claims: int
    refuted: int
    surprises: int
    """`claims`, `refuted`, `surprises`: numbers of finished rows, of refuted claims, and of verdicts that were not as
    expected."""
    seconds: float
    """Total time of the finished rows."""
    code: str
    """Digest of the code of that run."""
    provenance: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """One run's result for a claim."""

    run: PastRun
    record: Record
    """The row."""
    changed: bool | None
    """Whether the code differs from that of the previous run of this claim; None for the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The past runs in a store."""

    runs: tuple[PastRun, ...]
    """The oldest first."""
    claims: Mapping[str, tuple[ClaimResult, ...]]
    """Results of the requested claims, the oldest first."""
    faults: tuple[str, ...] = ()
    """A line for each row whose checksum differs; such rows are neither counted nor shown."""
    unchecked: int = 0
    """Records and runs written before checksums were introduced."""


def history(
    path: Path, *, claim: str | None = None, check: Callable[[Mapping[str, Any]], object] = lambda _record: None
) -> History:
    """Read a store's history, in memory that grows with the number of rows and not with the size of their evidence.

    `claim`: a glob of claim ids whose results are wanted; None for the only claim of a store with a single one.
    `check`: called with each whole record; raises an InputError for a malformed one.

    InputError when there is no store, or it has no such claim.
    """
    busy = in_use(path)
    try:
        with Store(path, reading=True) as store:
            faults, of_run, unchecked = list[str](), dict[int, list[RecordSummary]](), 0
            for each in store.told():
                if each.intact is False:
                    faults.append(f"the store {path}: {damage_text('told', each.run, each.claim)}")
                else:
                    of_run.setdefault(each.run, []).append(each)
                    unchecked += each.intact is None
            every = store.runs()
            stored = [run for run in every if run.intact is not False]
            told = "is not what was written (its checksum differs)"
            faults += [f"the store {path}: run {run.number} {told}" for run in every if run.intact is False]
            unchecked += sum(run.intact is None for run in stored)
            known = sorted({each.claim for rows in of_run.values() for each in rows})
            wanted = _wanted(known, claim, path)
            runs = tuple(_past(run, of_run.get(run.number, []), busy=busy) for run in stored)
            points: dict[str, list[ClaimResult]] = {id: [] for id in wanted}
            for run in runs:
                for id in wanted & {each.claim for each in of_run.get(run.number, [])}:
                    try:
                        (record,) = store.records(run.number, id).values()
                    except DamagedError as problem:
                        faults.append(str(problem))
                        continue
                    except ValueError:
                        faults.append(f"the store {path}: the record of {id!r} in run {run.number} is gone")
                        continue
                    check(record)
                    before = points[id][-1].run.code if points[id] else None
                    changed = None if before is None else before != run.code
                    points[id].append(ClaimResult(run=run, record=_without_large_fields(record), changed=changed))
    except (StoreError, RecursionError) as problem:
        raise InputError(f"{path} is no store: {one_line(str(problem))[:200]}", allowed=OURS) from problem
    claims = {id: tuple(found) for id, found in sorted(points.items()) if found}
    return History(runs=runs, claims=claims, faults=tuple(faults), unchecked=unchecked)


def _wanted(known: Sequence[str], claim: str | None, path: Path) -> set[str]:
    if claim is None:
        return set(known) if len(known) == 1 else set()
    wanted = {id for id in known if fnmatchcase(id, claim)}
    if not wanted:
        raise InputError(
            f"--claim {claim!r} matches no claim of {path}",
            allowed=", ".join(known[:8]) or "(no run there has finished a claim)",
            remedy="claim ids may be globs, such as 'laplace*'",
        )
    return wanted


def _without_large_fields(record: Mapping[str, Any]) -> Record:
    """A record without its large fields, so that 500 of them fit into memory."""
    evidence = [
        {name: value for name, value in part.items() if name not in _LONG} for part in record.get("evidence", ())
    ]
    return cast(
        "Record", {**{name: value for name, value in record.items() if name not in _LONG}, "evidence": evidence}
    )


_LONG = ("witness", "picture", "statistics", "space")


def _past(run: Run, rows: Sequence[RecordSummary], *, busy: bool) -> PastRun:
    try:
        return PastRun(
            number=run.number,
            begun=_time(run.begun),
            ended="" if run.ended is None else _time(run.ended),
            suite=run.suite,
            words=dict(run.words),
            state=(AT_WORK if busy else INTERRUPTED) if run.state == "open" else run.state,
            claims=len(rows),
            refuted=sum(row.verdict == Status.REFUTED for row in rows),
            surprises=sum(row.surprise for row in rows),
            seconds=sum(row.seconds for row in rows),
            code=run.provenance.get("code", ""),
            provenance=run.provenance,
        )
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, OSError) as problem:
        raise InputError(
            f"run {run.number} of the store is not as dpverify writes it: {type(problem).__name__}",
            allowed=OURS,
        ) from problem


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).astimezone().isoformat(timespec="seconds")
