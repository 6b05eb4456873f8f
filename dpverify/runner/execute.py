"""Executes a plan: units in processes, in threads or on a Dask cluster (`on_dask`), results in the plan's order.

Choosing events is Python code under the GIL, so processes are the default. Each process makes the plan again from its
arguments and sends back only rows. A subject that crashes ends its worker process alone (`pool`). Jitted kernels
release the GIL, so threads are worthwhile too.

Every draw comes from a stream named after claim, auditor, side and chunk, so no number depends on the number of workers
or the order in which they finish. The units that took longest last time start first. BLAS and OpenMP run at one thread
inside audits and plans.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any, Protocol

from dpverify.adapters.time_limit import OutOfTimeError, TimeLimit
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.audit_unit import failed_row, run_unit, unfinished_row
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, Unit, suite_plan
from dpverify.runner.row import Cut, Row
from dpverify.runner.store.checkpoint import Checkpoint, NoCheckpoint, There, WorkSaver
from dpverify.runner.store.store import Store
from dpverify.runner.subprocess_guard import begin_audits, report_progress
from dpverify.runner.thread_limits import one_thread

BACKENDS = ("processes", "threads", "dask")

Words = tuple[tuple[str, Any], ...]


class Watcher(Protocol):
    """Follows the progress of a run; it cannot change any number."""

    def start(self, unit: Unit) -> None:
        """Called when an audit unit begins."""
        ...

    def step(self, unit: Unit, message: str, share: float) -> None:
        """A unit is at `share` in [0, 1] of its present auditor."""
        ...

    def finish(self, unit: Unit, row: Row) -> None:
        """Called when an audit unit is finished."""
        ...


class Silent:
    """A watcher that shows nothing."""

    def start(self, unit: Unit) -> None:
        """Show nothing."""

    def step(self, unit: Unit, message: str, share: float) -> None:
        """Show nothing."""

    def finish(self, unit: Unit, row: Row) -> None:
        """Show nothing."""


def execute(
    plan: Plan,
    *,
    jobs: int = 1,
    backend: str = "threads",
    watcher: Watcher | None = None,
    store: Store | None = None,
    run: int = 0,
    keep: Callable[[Row], None] | None = None,
    limits: Limits | None = None,
    scheduler: str | None = None,
) -> list[Row]:
    """Run every unit of the plan; its rows, in the plan's order, are the same for any `jobs` and any backend.

    Parameters
    ----------
    plan : Plan
        A plan of a registered suite, or a selection of one; with ``backend="threads"`` any plan.
    jobs : int
        Units at a time. With fewer units than jobs, the other jobs make parts of the counts (in threads).
    backend : "threads", "processes" or "dask"
        Where they run.
    watcher : Watcher or None
        Is told when units start (not in processes), advance (not on a cluster) and finish.
    store, run : Store or None, int
        Store that keeps finished work, from which a resumed run continues.
    keep : callable or None
        Called with each complete row.
    limits : Limits or None
        Limits of time and memory. The time limit of one claim does not apply to threads; the memory limit applies only
        to processes on this machine.
    scheduler : str or None
        With ``backend="dask"``, the address of a cluster, whose size decides how many units run at a time; None starts
        `jobs` processes on this machine.

    Returns
    -------
    list of Row
        One for each unit. Rows left unfinished by Ctrl-C or the time limit of the run say so (`Row.cut`).

    Raises
    ------
    InputError
        For an unknown backend.
    StoreError
        When the store fails.
    AuditError
        When the connection to the cluster is lost.
    """
    if backend not in BACKENDS:
        raise InputError(f"backend {backend!r}", allowed=", ".join(BACKENDS))
    limits = limits or Limits()
    watch = watcher or Silent()
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    threads = max(1, jobs // max(1, len(plan.units)))
    keeps: WorkSaver = NoCheckpoint(threads=threads) if store is None else Checkpoint(store, run, threads=threads)
    rows: dict[str, Row] = {}
    cut: Cut = "out of time"
    # With a time limit, the plan's order finishes more units.
    lasted = {} if store is None or deadline is not None else store.lasted(plan.suite)
    ordered = replace(plan, units=longest_first(plan.units, lasted))
    try:
        on_dask = partial(_on_dask, scheduler)
        way = _in_threads if backend == "threads" else _in_processes if backend == "processes" else on_dask
        for unit, row in way(ordered, jobs=jobs, watch=watch, keeps=keeps, limits=limits, deadline=deadline):
            rows[row.id] = row
            if keep is not None:
                keep(row)
            watch.finish(unit, row)
    except KeyboardInterrupt:
        cut = "interrupted"
    left = [unit for unit in plan.units if unit.entry.claim.id not in rows]
    for unit in left:
        rows[unit.entry.claim.id] = unfinished_row(unit, plan, keeps=keeps, cut=cut, why=_why(cut, limits))
    return [rows[unit.entry.claim.id] for unit in plan.units]


def longest_first(units: tuple[Unit, ...], lasted: Mapping[str, float]) -> tuple[Unit, ...]:
    """Units without a known time first, then the longest ones, so that no long unit is left to the end."""
    return tuple(sorted(units, key=lambda unit: -lasted.get(unit.entry.claim.id, math.inf)))


def _why(cut: Cut, limits: Limits) -> str:
    when = f"within {limits.seconds:g} s (--max-seconds)" if cut == "out of time" else "when the run was interrupted"
    return f"not finished {when}; --resume goes on with it"


def _in_threads(
    plan: Plan, *, jobs: int, watch: Watcher, keeps: WorkSaver, limits: Limits, deadline: float | None
) -> Iterator[tuple[Unit, Row]]:
    """Rows in the plan's order. A limit interrupts Python between two bytecodes and leaves the rest undone."""

    def one(unit: Unit) -> Row | None:
        report: Callable[[str, float], None] = partial(watch.step, unit)
        if deadline is None:
            watch.start(unit)
            return run_unit(unit, plan, report=report, keeps=keeps)
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        watch.start(unit)
        row = None
        with suppress(OutOfTimeError), TimeLimit(seconds=left) as limit:
            row = run_unit(unit, plan, report=report, keeps=keeps, limit=limit)
        return row if time.monotonic() < deadline or (row and row.verdict.status is Status.REFUTED) else None

    # Each unit limits its threads too; doing it here looks up the libraries only once.
    with one_thread(), in_turn(one, plan.units, jobs=jobs) as found:
        for unit, row in zip(plan.units, found, strict=True):
            if row is not None:
                yield unit, row


@contextmanager
def in_turn(work: Callable[[Any], Any], items: Sequence[Any], *, jobs: int) -> Iterator[Iterator[Any]]:
    """Yield what `work` returns for each item, in order, using `jobs` threads; the caller may stop early."""
    import joblib

    pool = joblib.Parallel(n_jobs=jobs, prefer="threads", require="sharedmem", return_as="generator")
    found = pool(joblib.delayed(work)(item) for item in items)
    try:
        yield found
    finally:
        with warnings.catch_warnings():  # some were cancelled
            warnings.simplefilter("ignore", UserWarning)
            found.close()


def _in_processes(
    plan: Plan, *, jobs: int, watch: Watcher, keeps: WorkSaver, limits: Limits, deadline: float | None
) -> Iterator[tuple[Unit, Row]]:
    """Rows from worker processes, as they finish."""
    left = yield from _finished(plan, keeps)
    if not left:
        return
    ids = tuple(unit.entry.claim.id for unit in left)
    work = partial(_run_there, plan.words(), ids, keeps.there())

    def seen(place: int, message: str, share: float) -> None:
        watch.step(left[place], message, share)

    from dpverify.runner.pool import Pool  # joblib, which one audit needs not

    with Pool(work, jobs=min(jobs, len(ids)), limits=limits, seen=seen) as pool:
        for place, row, problem in pool.run(range(len(ids)), deadline=deadline):
            unit = left[place]
            yield unit, row if row is not None else failed_row(unit, plan, keeps=keeps, why=problem)


def _on_dask(
    scheduler: str | None,
    plan: Plan,
    *,
    jobs: int,
    watch: Watcher,
    keeps: WorkSaver,
    limits: Limits,
    deadline: float | None,
) -> Iterator[tuple[Unit, Row]]:
    """Rows from the workers of a cluster, as they finish."""
    from dpverify.runner.on_dask import ClusterRun, on_cluster

    left = yield from _finished(plan, keeps)
    if not left:
        return
    threads = max(1, jobs // len(left))
    with (
        on_cluster(scheduler, workers=min(jobs, len(left)), threads=threads) as cluster,
        ClusterRun(cluster, left, plan, keeps=keeps, begins=watch.start, limits=limits) as crew,
    ):
        for place, row, problem in crew.run(deadline=deadline):
            unit = left[place]
            yield unit, row if row is not None else failed_row(unit, plan, keeps=keeps, why=problem)


def _finished(plan: Plan, keeps: WorkSaver) -> Generator[tuple[Unit, Row], None, list[Unit]]:
    """Yield the rows of units whose evidence is complete in the store; returns the other units."""
    left = []
    for unit in plan.units:
        if {auditor.name for auditor in unit.auditors} <= set(keeps.evidence(unit.entry.claim.id)):
            yield unit, run_unit(unit, plan, report=lambda _message, _share: None, keeps=keeps)
        else:
            left.append(unit)
    return left


def _run_there(words: Words, ids: tuple[str, ...], there: There, place: int) -> Row:
    """Make the plan from its arguments, in a worker, and run one claim's unit."""
    plan = _plan_there(words)
    unit = next(unit for unit in plan.units if unit.entry.claim.id == ids[place])
    with there() as keeps:
        begin_audits()
        return run_unit(unit, plan, report=report_progress, keeps=keeps)


@cache
def _plan_there(words: Words) -> Plan:
    return suite_plan(registry(), **dict(words))
