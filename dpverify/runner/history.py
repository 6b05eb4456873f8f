"""What a store remembers: its runs, and how each claim's bound moved from run to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError, one_line
from dpverify.core.verdict import Status
from dpverify.runner.store.schema import StoreError, at_work
from dpverify.runner.store.store import Run, Store

OURS = "a store that `dpverify run` made"
AT_WORK, INTERRUPTED = "at work", "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One run.

    Attributes
    ----------
    begun, ended : str
        ISO 8601, local time with its offset; `ended` is empty while it is open.
    state : str
        ``done``, ``cut``, ``at work`` (open, and a run holds the store) or ``interrupted`` (open, and none does).
    claims, refuted, surprises : int
        Finished rows, and how many of them were refuted, and not as expected.
    seconds : float
        That the finished rows took, all together.
    code : str
        Digest of the code that it ran.
    """

    number: int
    begun: str
    ended: str
    suite: str
    words: Mapping[str, Any]
    state: str
    claims: int
    refuted: int
    surprises: int
    seconds: float
    code: str
    provenance: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What one run said of a claim.

    Attributes
    ----------
    record : mapping
        The row.
    changed : bool or None
        Whether the code was other than in the run before that looked at this claim; None for the first.
    """

    run: Past
    record: Mapping[str, Any]
    changed: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The runs, the oldest first, and the claims that were asked for, each with its points in the same order."""

    runs: tuple[Past, ...]
    claims: Mapping[str, tuple[Point, ...]]


def history(path: Path, *, claim: str | None = None) -> History:
    """Read a store's history.

    Parameters
    ----------
    claim : str or None
        A glob of claim ids whose points are wanted; None for those of a store that knows one claim only.

    Raises
    ------
    InputError
        When there is no store, or it has no such claim.
    """
    busy = at_work(path)
    try:
        with Store(path, reading=True) as store:
            found = [(run, store.records(run.number)) for run in store.runs()]
    except (StoreError, RecursionError) as problem:
        raise InputError(f"{path} is no store: {one_line(str(problem))[:200]}", allowed=OURS) from problem
    runs = [(_past(run, records, busy=busy), records) for run, records in found]
    known = sorted({id for _, records in runs for id in records})
    wanted = [id for id in known if fnmatchcase(id, claim)] if claim is not None else known if len(known) == 1 else []
    if claim is not None and not wanted:
        raise InputError(
            f"--claim {claim!r} matches no claim of {path}",
            allowed=", ".join(known[:8]) or "(no run there has finished a claim)",
            remedy="claim ids may be globs, such as 'laplace*'",
        )
    return History(runs=tuple(run for run, _ in runs), claims={id: _points(id, runs) for id in wanted})


def _past(run: Run, records: Mapping[str, Mapping[str, Any]], *, busy: bool) -> Past:
    rows = records.values()
    try:
        return Past(
            number=run.number,
            begun=_time(run.begun),
            ended="" if run.ended is None else _time(run.ended),
            suite=run.suite,
            words=dict(run.words),
            state=(AT_WORK if busy else INTERRUPTED) if run.state == "open" else run.state,
            claims=len(records),
            refuted=sum(row["verdict"] == Status.REFUTED for row in rows),
            surprises=sum(bool(row.get("surprise")) for row in rows),
            seconds=float(sum(row["seconds"] for row in rows)),
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


def _points(id: str, runs: list[tuple[Past, dict[str, dict[str, Any]]]]) -> tuple[Point, ...]:
    points: list[Point] = []
    for run, records in runs:
        if id in records:
            changed = points[-1].run.code != run.code if points else None
            points.append(Point(run=run, record=records[id], changed=changed))
    return tuple(points)
