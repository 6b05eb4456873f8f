"""Executes a plan: units in processes or threads, results in the plan's order.

Choosing events is Python, which threads cannot share, so processes are the default; each of them makes the plan again
from the words that it follows from, and only rows travel back. Jitted kernels release the GIL, for threads' sake.

Every draw comes from a stream named after claim, auditor, side and chunk, so the numbers do not depend on the number
of workers or on who finishes first. BLAS and OpenMP run at one thread inside audits and plans.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Protocol

import joblib

from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.core.claim import Claim
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.protocols import Auditor, Explains, Task
from dpverify.core.verdict import Status, decide, judge
from dpverify.runner.cross_check import lightened, settled
from dpverify.runner.one_thread import one_thread
from dpverify.runner.plan import Plan, Unit, suite_plan, task_streams
from dpverify.runner.row import Row

BACKENDS = ("processes", "threads")


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


def execute(plan: Plan, *, jobs: int = 1, backend: str = "threads", watcher: Watcher | None = None) -> list[Row]:
    """Run every unit of the plan; its rows, in the plan's order, are the same for any `jobs` and either backend.

    Parameters
    ----------
    plan : Plan
        With ``backend="processes"``, a plan (or a cut) of a registered suite.
    jobs : int
        Units at a time.
    backend : "threads" or "processes"
        Where they run.
    watcher : Watcher or None
        Sees units start (threads only), go on (threads only) and finish.

    Raises
    ------
    InputError
        For another backend.
    """
    if backend not in BACKENDS:
        raise InputError(f"backend {backend!r}", allowed=", ".join(BACKENDS))
    watch = watcher or Silent()
    if backend == "processes" and jobs > 1 and len(plan.units) > 1:
        return _in_processes(plan, jobs, watch)

    def one(unit: Unit) -> Row:
        watch.start(unit)
        row = run_unit(unit, plan, report=lambda message, share: watch.step(unit, message, share))
        watch.finish(unit, row)
        return row

    with one_thread():  # each unit holds it too; here the libraries are looked up once for all
        rows: list[Row] = joblib.Parallel(n_jobs=jobs, prefer="threads", require="sharedmem")(
            joblib.delayed(one)(unit) for unit in plan.units
        )
    return rows


def _in_processes(plan: Plan, jobs: int, watch: Watcher) -> list[Row]:
    """Rows from worker processes, as they come: in the plan's order."""
    words = (plan.suite, plan.profile, plan.seed, plan.confidence, plan.trials, plan.methods, plan.regressions)
    tasks = (joblib.delayed(_run_there)(words, unit.entry.claim.id) for unit in plan.units)
    rows = []
    pool = joblib.Parallel(n_jobs=jobs, backend="loky", return_as="generator", pre_dispatch="all", batch_size=1)
    for unit, row in zip(plan.units, pool(tasks), strict=True):
        watch.finish(unit, row)
        rows.append(row)
    return rows


def _run_there(
    words: tuple[str, str, int, float, int | None, tuple[str, ...] | None, str | None], claim_id: str
) -> Row:
    """In a worker: the unit of that claim, of the plan that these words make."""
    plan = _plan_there(*words)
    unit = next(unit for unit in plan.units if unit.entry.claim.id == claim_id)
    return run_unit(unit, plan, report=lambda _message, _share: None)


@cache
def _plan_there(
    suite: str,
    profile: str,
    seed: int,
    confidence: float,
    trials: int | None,
    methods: tuple[str, ...] | None,
    regressions: str | None,
) -> Plan:
    return suite_plan(
        registry(),
        suite=suite,
        profile=profile,
        seed=seed,
        confidence=confidence,
        trials=trials,
        methods=methods,
        regressions=regressions,
    )


@one_thread()
def run_unit(
    unit: Unit,
    plan: Plan,
    *,
    report: Callable[[str, float], None],
    strict: bool = False,
    limit: TimeLimit | None = None,
) -> Row:
    """All auditors of one claim, one after another; a failure of one is recorded and does not stop the others.

    With `strict`, bad input is raised instead: the caller is the one who typed it. An entered `limit` ends the present
    auditor's work when time is up, and with it the unit: inconclusive, unless what was finished decides.
    """
    claim = unit.entry.claim
    begun = time.perf_counter()
    evidence: list[Evidence] = []
    failures: list[str] = []
    stopped = ""
    for auditor in sorted(unit.auditors, key=lambda auditor: auditor.statistical):
        # Draws may depend on what an exact method found: it looked at the law and at no draw, so these are as fresh as
        # ever; and the share of the false-alarm probability is the plan's, which counts this audit at any budget.
        # What was asked for by number is drawn, all of it.
        spares = auditor.statistical and plan.profile == "quick" and plan.trials is None
        by_law = [item for item in evidence if settled(item)]
        lightly, refuted = spares and bool(by_law), any(judge(item) is Status.REFUTED for item in by_law)
        task = replace(
            unit.task, stream=task_streams(plan.seed, claim.id, auditor.name), progress=_prefixed(auditor.name, report)
        )
        started = time.perf_counter()
        try:
            found = _audited(auditor, task, lightly=lightly, refuted=refuted)
        except Interrupted:
            if limit is None:
                raise
            limit.stop()
            stopped = limit.words()
            break
        except DpverifyError as problem:
            if strict:
                raise
            failures.append(f"{auditor.name}: {one_line(str(problem))}")
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - a subject may raise anything; the run goes on
            failures.append(f"{auditor.name}: {type(problem).__name__}: {one_line(str(problem))}")
        else:
            witness = {**found.witness, **_meaning(claim, found)}
            evidence.append(replace(found, seconds=time.perf_counter() - started, seed=plan.seed, witness=witness))
    verdict = decide(claim, evidence, unsupported="; ".join(unit.refusals), failures=failures)
    if stopped and verdict.status in (Status.NOT_REFUTED, Status.UNSUPPORTED):
        verdict = replace(verdict, status=Status.INCONCLUSIVE, reason=stopped)
    return Row(
        entry=unit.entry,
        verdict=verdict,
        seconds=time.perf_counter() - begun,
        seed=plan.seed,
        reproduce=_reproduce(plan, claim.id),
    )


def _audited(auditor: Auditor, task: Task, *, lightly: bool, refuted: bool) -> Evidence:
    """What the auditor says, on few draws where that is enough for any verdict at all."""
    if lightly:
        with suppress(InputError):  # too few to refute such a claim, whatever came: refused before anything was drawn
            return auditor.audit(lightened(task, refuted=refuted))
    return auditor.audit(task)


def _meaning(claim: Claim, found: Evidence) -> dict[str, str]:
    """What a guarantee that promises more than its own name says of a refutation, for the witness; else nothing."""
    explains = claim.guarantee if isinstance(claim.guarantee, Explains) else None
    return {"refutes": explains.refutation(found.measure)} if explains and judge(found) is Status.REFUTED else {}


def _prefixed(name: str, report: Callable[[str, float], None]) -> Callable[[str, float], None]:
    return lambda message, share: report(f"{name}: {message}", share)


def _reproduce(plan: Plan, claim_id: str) -> str:
    words = ["dpverify", "run", plan.suite, "--profile", plan.profile, "--seed", plan.seed]
    words += ["--confidence", plan.confidence]
    words += ["--trials", plan.trials] if plan.trials is not None else []
    words += ["--method", ",".join(plan.methods)] if plan.methods is not None else []
    words += ["--regressions", plan.regressions] if plan.regressions is not None else []
    return shlex.join(str(word) for word in [*words, "--only", claim_id])
