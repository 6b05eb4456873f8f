"""`dpverify run`: a suite, audited."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from dpverify.cli.jobs import number_of_jobs
from dpverify.cli.options import Json, Method, Seed, method_names
from dpverify.cli.output import check_target, emit, prints_to_stderr, typed_again
from dpverify.core.errors import InputError

if TYPE_CHECKING:
    from dpverify.core.suite import Suite
    from dpverify.runner.plan import Plan
    from dpverify.runner.row import Row
    from dpverify.runner.store.session import Session


def run(
    suite: Annotated[str, typer.Argument(help="One of the suites below.")] = "core",
    profile: Annotated[
        str | None, typer.Option(help="quick, full or benchmark (default: the suite's, else quick).")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Audits at a time; the numbers do not depend on it.")] = 0,
    backend: Annotated[
        str, typer.Option(help="processes, threads, or dask (pip install 'dpverify[dask]').")
    ] = "processes",
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Of a Dask cluster that you trust, such as tcp://host:8786 (default: --jobs processes here).",
        ),
    ] = None,
    seed: Seed = 0,
    confidence: Annotated[
        float | None,
        typer.Option(
            help="One-sided, of the whole run, or of each row where the suite is a table of such (default: 0.999)."
        ),
    ] = None,
    trials: Annotated[int | None, typer.Option(help="Draws per side and audit (default: the profile's).")] = None,
    method: Method = None,
    regressions: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Failures saved there are tried first, new ones saved (default: .dpverify/regressions)."
        ),
    ] = None,
    only: Annotated[str, typer.Option(metavar="GLOB", help="Only claims whose id matches.")] = "*",
    steer: Annotated[
        bool,
        typer.Option("--steer", help="Bet in instalments, the next ones on the audits closest to a verdict."),
    ] = False,
    trials_total: Annotated[
        int | None, typer.Option(help="--steer: draws a side of all claims together (default: as many as unsteered).")
    ] = None,
    worth: Annotated[
        float | None,
        typer.Option(help="--steer: stop where so many times the claimed value would have been found (80 % power)."),
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="For the whole run; what is not finished then can be resumed.")
    ] = None,
    max_seconds_per_claim: Annotated[
        float | None,
        typer.Option(help="For one claim; what takes longer is an error of it (not with --backend threads)."),
    ] = None,
    max_memory: Annotated[
        float | None,
        typer.Option(metavar="GB", help="For each worker process (default: what the machine has)."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run of these words in --out, from what it finished.")
    ] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where reports and the store of finished work go.")] = Path(
        "reports/local"
    ),
    formats: Annotated[str, typer.Option("--format", help="Report files to write below --out.")] = "html,json",
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no table.")] = False,
    json: Json = None,
) -> None:
    """Audit a suite of claims and compare the verdicts with what is expected."""
    from dpverify.core.plugins import registry
    from dpverify.reporting.benchmark import benchmark_table
    from dpverify.reporting.progress import Watch
    from dpverify.reporting.steer_table import steer_table
    from dpverify.reporting.terminal import closing_table
    from dpverify.runner.contained import memory_of_machine
    from dpverify.runner.execute import execute
    from dpverify.runner.files import check_folder
    from dpverify.runner.limits import Limits, gigabytes
    from dpverify.runner.plan import check_trials, suite_plan
    from dpverify.runner.record import dump, record
    from dpverify.runner.regressions import DEFAULT, failures, save
    from dpverify.runner.row import exit_status
    from dpverify.runner.steer import betting, check_steering, even_total
    from dpverify.runner.steer import steer as steered
    from dpverify.runner.store.session import session

    begun, at_a_time = time.perf_counter(), number_of_jobs(jobs)
    limits = Limits(
        seconds=max_seconds,
        seconds_per_claim=max_seconds_per_claim,
        memory=memory_of_machine() if max_memory is None else gigabytes(max_memory),
    )
    known = registry()
    described = known.suite(suite)
    profile = profile or described.profile
    writers = [known.writers.get(name) for name in formats.split(",") if name]
    _check_steering(steer, method=method, regressions=regressions, trials_total=trials_total, worth=worth)
    folder = regressions or (DEFAULT if DEFAULT.is_dir() and not steer else None)
    plan = suite_plan(
        known,
        suite=suite,
        profile=profile,
        seed=seed,
        confidence=described.confidence if confidence is None else confidence,
        trials=described.trials if trials is None else trials,
        methods=betting(known) if steer else method_names(method) or described.methods,
        regressions=None if folder is None else str(folder),
    ).only(only)
    total = even_total(plan) if trials_total is None else trials_total
    if not steer:
        check_trials(plan)
    else:
        check_steering(plan, total=total, worth=worth, backend=backend)
        if not quiet:
            sys.stderr.write(_steering(plan, total))
    check_target(json)
    check_folder(out)
    if folder is not None:
        check_folder(folder)
    _check_backend(backend, scheduler, plan, max_memory=max_memory)
    more = {"steer": total, "worth": worth} if steer else {}
    with session(out, plan, only=only, resume=resume, more=more) as now:
        if now.finished and not quiet:
            sys.stderr.write(f"Resuming run {now.run}: {now.finished} of {len(plan.units)} claims were finished.\n")
        with Watch(len(plan.units), quiet=quiet) as watch, prints_to_stderr():
            steering = partial(steered, total=total, worth=worth, only=only)
            way: Callable[..., list[Row]] = steering if steer else partial(execute, scheduler=scheduler)
            rows = way(
                plan,
                jobs=at_a_time,
                backend=backend,
                watcher=watch,
                store=now.store,
                run=now.run,
                keep=partial(_keep, now, described),
                limits=limits,
            )
        now.state = "cut" if any(row.cut for row in rows) else "done"
    records = [record(row, described.published.get(row.id)) for row in rows]
    saved = save(failures(rows), folder) if folder is not None else []
    title = f"dpverify run {suite} ({profile})"
    written = [writer.write(records, out, title=title) for writer in writers]
    text = dump(records)
    if emit(json, text) and not quiet:
        console = Console()
        closing_table(records, console)
        steer_table(records, console)
        benchmark_table(records, console)
        rate = plan.alpha * plan.statistical
        if described.per_row:
            told = (
                f"Confidence {plan.confidence:g} is each row's: up to {rate:.2g} bounds above the truth are expected."
            )
        else:
            told = f"False-alarm probability of the whole run: at most {rate:.2g} "
            told += f"({plan.statistical} statistical audits, {plan.alpha:.2g} each)."
        console.print(told, highlight=False)
        if folder is not None:
            console.print(f"Regressions in {folder}: {_replays(records)}; {len(saved)} saved now.", highlight=False)
        console.print(f"{time.perf_counter() - begun:.1f} s; reports: {', '.join(map(str, written))}", highlight=False)
    left = [row.cut for row in rows if row.cut]
    if left:
        sys.stderr.write(
            f"Stopped, {left[0]}: {len(left)} of {len(rows)} claims are left; go on with: {typed_again()}\n"
        )
    if "interrupted" in left:
        raise typer.Exit(130)
    raise typer.Exit(exit_status(rows, chance=plan.alpha if described.per_row else None))


def _check_backend(backend: str, scheduler: str | None, plan: Plan, *, max_memory: float | None) -> None:
    """Refuse what cannot run there, before anything is begun."""
    if backend == "dask":
        from dpverify.runner.on_dask import check_cluster

        if scheduler is not None and max_memory is not None:
            raise InputError(
                f"--max-memory {max_memory:g} with --scheduler",
                allowed="a limit for workers on this machine",
                remedy="start the cluster's workers with one (dask worker --memory-limit)",
            )
        check_cluster(scheduler, plan)
    elif scheduler is not None:
        raise InputError(f"--scheduler {scheduler} with --backend {backend}", allowed="--backend dask with it")


def _check_steering(
    steer: bool, *, method: object, regressions: Path | None, trials_total: int | None, worth: float | None
) -> None:
    if not steer and (trials_total is not None or worth is not None):
        raise InputError("--trials-total or --worth without --steer", allowed="--steer with them")
    if steer and (method or regressions is not None):
        raise InputError(
            "--steer with --method or --regressions",
            allowed="only audits that may be stopped at any time: those that bet",
            remedy="leave them out",
        )


def _steering(plan: Plan, total: int) -> str:
    """What is fixed before the first draw."""
    return (
        f"Steering {plan.statistical} audits of the plan, {len(plan.units)} claims in this run, {total} draws in all: "
        f"false-alarm probability {plan.alpha:.2g} each, whatever the steering.\n"
    )


def _keep(now: Session, described: Suite, row: Row) -> None:
    from dpverify.runner.record import record

    now.keep(row, record(row, described.published.get(row.id)))


def _replays(records: list[dict[str, Any]]) -> str:
    """How many saved failures were tried again, and how many of them still refute."""
    told = [each for item in records for one in item["evidence"] for each in one["statistics"].get("replayed", ())]
    refuted = sum(each["says"] == "refuted" for each in told)
    unfit = sum(each["says"].startswith("cannot") for each in told)
    return f"{len(told)} replayed, {refuted} still refute" + (f", {unfit} cannot be replayed" if unfit else "")
