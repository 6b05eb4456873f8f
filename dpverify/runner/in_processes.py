"""Units in worker processes of this machine: choosing events is Python code under the GIL, so this is the default.

A subject that crashes ends its worker process alone (`pool`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from dpverify.core.plugins import registry
from dpverify.runner.audit_unit import failed_row, run_unit
from dpverify.runner.backends import Outcome, Words, finished
from dpverify.runner.in_threads import Threads
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, part_of_plan
from dpverify.runner.pool import Pool
from dpverify.runner.row import Row
from dpverify.runner.store.checkpoint import There, WorkSaver
from dpverify.runner.subprocess_guard import begin_audits, report_progress
from dpverify.runner.watcher import Watcher


class Processes:
    """The back end ``processes``."""

    def __init__(self, _scheduler: str | None = None) -> None:
        pass

    def check(self, plan: Plan) -> None:
        """Any plan of a registered suite can be run."""

    def units(
        self, plan: Plan, *, jobs: int, watch: Watcher, keeps: WorkSaver, limits: Limits, deadline: float | None
    ) -> Iterator[Row]:
        """Yield rows from worker processes, as they finish."""
        left = yield from finished(plan, keeps)
        if not left:
            return
        ids = tuple(unit.entry.claim.id for unit in left)
        work = partial(_run_there, plan.words(), plan.alpha, plan.statistical, ids, keeps.there())

        def seen(place: int, message: str, share: float) -> None:
            watch.step(ids[place], message, share)

        with Pool(work, jobs=min(jobs, len(ids)), limits=limits, seen=seen) as pool:
            for place, row, problem in pool.run(range(len(ids)), deadline=deadline):
                yield row if row is not None else failed_row(left[place], plan, keeps=keeps, why=problem)

    def calls(self, work: Callable[[int], Any], places: Sequence[int], *, jobs: int) -> Iterator[Outcome]:
        """Call in worker processes; one at a time needs none."""
        if jobs == 1:
            yield from Threads().calls(work, places, jobs=1)
        elif places:
            with Pool(work, jobs=jobs, limits=Limits()) as pool:
                yield from pool.run(list(places))


def _run_there(words: Words, alpha: float, statistical: int, ids: tuple[str, ...], there: There, place: int) -> Row:
    """Make one claim's plan from its arguments in a worker, and run its unit."""
    plan = part_of_plan(registry(), ids[place], alpha=alpha, statistical=statistical, **dict(words))
    with there() as keeps:
        begin_audits()
        return run_unit(plan.units[0], plan, report=report_progress, keeps=keeps)


BACKEND = Processes
