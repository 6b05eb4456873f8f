"""Executes a plan on a back end (`backends`): results in the plan's order.

Every draw comes from a stream named after claim, auditor, side and chunk, so no number depends on the number of workers
or the order in which they finish. The units that took longest last time start first. BLAS and OpenMP run at one thread
inside audits and plans.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from dpverify.runner.audit_unit import unfinished_row
from dpverify.runner.backends import backend_named
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Cut, Row
from dpverify.runner.store.checkpoint import Checkpoint, WorkSaver
from dpverify.runner.store.store import Store
from dpverify.runner.watcher import Silent, Watcher


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
    backend : str
        One of `backends.BACKENDS`.
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
        Address of a cluster, whose size decides how many units run at a time, for a back end that takes one; None
        starts `jobs` processes on this machine.

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
    way = backend_named(backend, scheduler=scheduler)
    limits = limits or Limits()
    watch = watcher or Silent()
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    threads = max(1, jobs // max(1, len(plan.units)))
    keeps = WorkSaver(threads=threads) if store is None else Checkpoint(store, run, threads=threads)
    rows: dict[str, Row] = {}
    cut: Cut = "out of time"
    # With a time limit, the plan's order finishes more units.
    lasted = {} if store is None or deadline is not None else store.lasted(plan.suite)
    ordered = replace(plan, units=longest_first(plan.units, lasted))
    try:
        for row in way.units(ordered, jobs=jobs, watch=watch, keeps=keeps, limits=limits, deadline=deadline):
            rows[row.id] = row
            if keep is not None:
                keep(row)
            watch.finish(row)
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
