"""Units in threads of this process: jitted kernels release the GIL. A limit interrupts Python between two bytecodes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from dpverify.adapters.time_limit import OutOfTimeError, TimeLimit
from dpverify.core.errors import DpverifyError, one_line
from dpverify.core.verdict import Status
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.backends import Outcome
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Row
from dpverify.runner.store.checkpoint import WorkSaver
from dpverify.runner.thread_limits import one_thread
from dpverify.runner.watcher import Watcher


class Threads:
    """The back end ``threads``: rows come in the plan's order, and any plan can be run."""

    def __init__(self, _scheduler: str | None = None) -> None:
        pass

    def check(self, plan: Plan) -> None:
        """Any plan can be run."""

    def units(
        self, plan: Plan, *, jobs: int, watch: Watcher, keeps: WorkSaver, limits: Limits, deadline: float | None
    ) -> Iterator[Row]:
        """Run units in the plan's order; what the deadline interrupts is left undone."""

        def one(unit: Unit) -> Row | None:
            report: Callable[[str, float], None] = partial(watch.step, unit.entry.claim.id)
            if deadline is None:
                watch.start(unit.entry.claim.id)
                return run_unit(unit, plan, report=report, keeps=keeps)
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            watch.start(unit.entry.claim.id)
            row = None
            with suppress(OutOfTimeError), TimeLimit(seconds=left) as limit:
                row = run_unit(unit, plan, report=report, keeps=keeps, limit=limit)
            return row if time.monotonic() < deadline or (row and row.verdict.status is Status.REFUTED) else None

        # Each unit limits its threads too; doing it here looks up the libraries only once.
        with one_thread(), _in_turn(one, plan.units, jobs=jobs) as found:
            for row in found:
                if row is not None:
                    yield row

    def calls(self, work: Callable[[int], Any], places: Sequence[int], *, jobs: int) -> Iterator[Outcome]:
        """Call in the order of the places."""

        def tried(place: int) -> tuple[Any, str]:
            try:
                return work(place), ""
            except Exception as problem:  # noqa: BLE001 - of one place, whatever it is
                said = one_line(str(problem))
                return None, said if isinstance(problem, DpverifyError) else f"{type(problem).__name__}: {said}"

        with _in_turn(tried, places, jobs=jobs) as found:
            for place, (outcome, problem) in zip(places, found, strict=True):
                yield place, outcome, problem


@contextmanager
def _in_turn(work: Callable[[Any], Any], items: Sequence[Any], *, jobs: int) -> Iterator[Iterator[Any]]:
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


BACKEND = Threads
