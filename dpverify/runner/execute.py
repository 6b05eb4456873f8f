"""Executes a plan: units in threads (jitted kernels release the GIL), results in the plan's order.

Every draw comes from a stream named after claim, auditor, side and chunk, so the numbers do not depend on the number
of workers or on who finishes first. BLAS and OpenMP run at one thread inside audits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import joblib
from threadpoolctl import threadpool_limits

from dpverify.core.errors import DpverifyError, one_line
from dpverify.core.evidence import Evidence
from dpverify.core.verdict import decide
from dpverify.runner.plan import Plan, Unit, task_streams
from dpverify.runner.row import Row


class Watcher(Protocol):
    """Sees a run as it goes; for progress only, nothing it does changes a number."""

    def start(self, unit: Unit) -> None:
        """A unit begins."""
        ...

    def step(self, unit: Unit, message: str, share: float) -> None:
        """A unit is at `share` in [0, 1] of its present auditor."""
        ...

    def finish(self, unit: Unit, row: Row) -> None:
        """A unit is done."""
        ...


class Silent:
    """Watches nothing."""

    def start(self, unit: Unit) -> None:
        """Nothing."""

    def step(self, unit: Unit, message: str, share: float) -> None:
        """Nothing."""

    def finish(self, unit: Unit, row: Row) -> None:
        """Nothing."""


def execute(plan: Plan, *, jobs: int = 1, watcher: Watcher | None = None) -> list[Row]:
    """Run every unit of the plan and return its rows in the plan's order, the same for any number of `jobs`."""
    watch = watcher or Silent()

    def one(unit: Unit) -> Row:
        watch.start(unit)
        row = run_unit(unit, plan, report=lambda message, share: watch.step(unit, message, share))
        watch.finish(unit, row)
        return row

    with threadpool_limits(limits=1):
        rows: list[Row] = joblib.Parallel(n_jobs=jobs, prefer="threads", require="sharedmem")(
            joblib.delayed(one)(unit) for unit in plan.units
        )
    return rows


def run_unit(unit: Unit, plan: Plan, *, report: Callable[[str, float], None], strict: bool = False) -> Row:
    """All auditors of one claim, one after another; a failure of one is recorded and does not stop the others.

    With `strict`, bad input is raised instead: the caller is the one who typed it.
    """
    claim = unit.entry.claim
    begun = time.perf_counter()
    evidence: list[Evidence] = []
    failures: list[str] = []
    for auditor in unit.auditors:
        task = replace(
            unit.task, stream=task_streams(plan.seed, claim.id, auditor.name), progress=_prefixed(auditor.name, report)
        )
        started = time.perf_counter()
        try:
            found = auditor.audit(task)
        except DpverifyError as problem:
            if strict:
                raise
            failures.append(f"{auditor.name}: {one_line(str(problem))}")
        except Exception as problem:  # noqa: BLE001 - a subject may raise anything; the row says what, the run goes on
            failures.append(f"{auditor.name}: {type(problem).__name__}: {one_line(str(problem))}")
        else:
            evidence.append(replace(found, seconds=time.perf_counter() - started, seed=plan.seed))
    verdict = decide(claim, evidence, unsupported="; ".join(unit.refusals), failures=failures)
    return Row(
        entry=unit.entry,
        verdict=verdict,
        seconds=time.perf_counter() - begun,
        seed=plan.seed,
        reproduce=_reproduce(plan, claim.id),
    )


def _prefixed(name: str, report: Callable[[str, float], None]) -> Callable[[str, float], None]:
    return lambda message, share: report(f"{name}: {message}", share)


def _reproduce(plan: Plan, claim_id: str) -> str:
    words: list[Any] = ["dpverify run", plan.suite, "--profile", plan.profile, "--seed", plan.seed]
    words += ["--confidence", plan.confidence, "--only", f"'{claim_id}'"]
    return " ".join(str(word) for word in words)
