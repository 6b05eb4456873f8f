"""`dpverify run`: a suite, audited.

Options that contradict one another or cannot work here are refused before anything is begun.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpverify.cli.options import (
    Events,
    Json,
    Method,
    claim_option,
    kept_option,
    limit_option,
    method_names,
    output_option,
    search_option,
    verdict_option,
    whole_number,
)
from dpverify.cli.output import check_target, prints_to_stderr
from dpverify.cli.run_messages import report_run, say_how_to_resume, unfinished_text
from dpverify.cli.suites import ListsSuites
from dpverify.core.errors import INTERRUPTED, DpverifyError, InputError
from dpverify.runner.limits import number_of_jobs

if TYPE_CHECKING:
    from dpverify.core.suite import Suite
    from dpverify.runner.plan import Plan
    from dpverify.runner.row import Row
    from dpverify.runner.store.open_run import OpenRun

COMMAND = ListsSuites
"""The class of the command: its help ends with the suites."""


def run(
    suite: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUITE|FILE]",
            help="One of the suites below, or a suite file (default: dpverify.toml, or [tool.dpverify] in "
            "pyproject.toml, looked for upwards from here).",
        ),
    ] = None,
    profile: Annotated[
        str | None, search_option(help="quick, full or benchmark (default: the suite's, else quick).")
    ] = None,
    jobs: Annotated[int, limit_option(help="Audits at a time; the numbers do not depend on it.")] = 0,
    backend: Annotated[
        str, limit_option(help="processes, threads, or dask (pip install 'dpverify[dask]').")
    ] = "processes",
    scheduler: Annotated[
        str | None,
        limit_option(
            metavar="ADDRESS",
            help="Address of a trusted Dask cluster, such as tcp://host:8786 (default: --jobs processes here).",
        ),
    ] = None,
    seed: Annotated[int | None, search_option(help="Same seed, same numbers (default: the file's, else 0).")] = None,
    confidence: Annotated[
        float | None,
        search_option(
            help="One-sided confidence of the whole run (default: 0.999), or of each row in suites that say so; of "
            "each claim of a suite file (default: 1 - 1e-9)."
        ),
    ] = None,
    trials: Annotated[
        int | None,
        search_option(parser=whole_number, metavar="N", help="Draws per side and audit (default: the profile's)."),
    ] = None,
    method: Method = None,
    regressions: Annotated[
        Path | None,
        kept_option(
            metavar="DIR",
            help="Saved failures in this folder are tried first, new ones saved (default: .dpverify/regressions).",
        ),
    ] = None,
    only: Annotated[str, claim_option(metavar="GLOB", help="Only claims whose id matches.")] = "*",
    detect: Annotated[
        float | None,
        search_option(
            help="Suite file: the factor of the claim that a full pass must have been able to detect, 80 % power."
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        search_option(metavar="S", help="Suite file: about so long the audit of a claim may take (default: 30)."),
    ] = None,
    strict: Annotated[
        bool,
        verdict_option(
            "--strict", help="Suite file: a pass that could have seen nothing, or less than was to be detected, fails."
        ),
    ] = False,
    show_records: Annotated[
        bool,
        output_option("--show-records", help="Suite file: show a pair even where it holds records of the example."),
    ] = False,
    max_seconds: Annotated[
        float | None, limit_option(help="Time limit of the whole run; unfinished claims can be resumed.")
    ] = None,
    max_seconds_per_claim: Annotated[
        float | None,
        limit_option(help="Time limit of one claim; a longer one ends as an error (not with --backend threads)."),
    ] = None,
    max_memory: Annotated[
        float | None,
        limit_option(metavar="GB", help="Memory limit of each worker process (default: the machine's memory)."),
    ] = None,
    resume: Annotated[
        bool, kept_option("--resume", help="Continue the run in --out that was started with the same options.")
    ] = False,
    out: Annotated[Path, kept_option(metavar="DIR", help="Folder for reports and the store of finished work.")] = Path(
        "reports/local"
    ),
    formats: Annotated[str, output_option("--format", help="Report files to write below --out.")] = "html,json",
    events: Events = None,
    quiet: Annotated[bool, output_option("--quiet", help="No progress, no table.")] = False,
    json: Json = None,
) -> None:
    """Audit the claims of your own package, or a built-in suite, and compare the verdicts with the expected ones."""
    from dpverify.cli.run_suite_file import run_suite_file, suite_file_named
    from dpverify.core.note import Telling
    from dpverify.core.plugins import registry
    from dpverify.runner.atomic_files import check_folder
    from dpverify.runner.backends import backend_named
    from dpverify.runner.limits import Limits, gigabytes
    from dpverify.runner.memory import limit_memory_with_children, memory_of_machine, share_of_machine
    from dpverify.runner.plan import (
        check_confidence,
        check_draws,
        check_trials,
        chosen_auditors,
        select_entries,
        suite_plan,
    )
    from dpverify.runner.plan_fingerprint import known_by
    from dpverify.runner.record import record
    from dpverify.runner.regressions import new_failures, save, used_folder
    from dpverify.runner.row import rows_status
    from dpverify.runner.store.open_run import open_run

    begun, at_a_time = time.perf_counter(), number_of_jobs(jobs)
    limits = Limits(
        seconds=max_seconds,
        seconds_per_claim=max_seconds_per_claim,
        memory=memory_of_machine() if max_memory is None else gigabytes(max_memory),
    )
    path = suite_file_named(suite)
    of_files = {
        "--seconds": seconds,
        "--detect": detect,
        "--strict": strict or None,
        "--show-records": show_records or None,
    }
    check_suite_options(
        path is not None,
        of_files=of_files,
        of_suites={
            "--backend": None if backend == "processes" else backend,
            "--scheduler": scheduler,
            "--method": method,
        },
    )
    if path is not None:
        from dpverify.audits.asked import asked_for

        run_suite_file(
            path,
            asked_for(
                profile=profile,
                seed=seed,
                confidence=confidence,
                seconds=seconds,
                detect=detect,
                trials=trials,
                strict=strict or None,
                regressions=regressions,
            ),
            only=only,
            workers=at_a_time,
            limits=limits,
            out=out,
            formats=formats,
            resume=resume,
            quiet=quiet,
            show_records=show_records,
            events=events,
            json=json,
        )
    suite, seed = suite or "core", seed or 0
    if backend == "threads":  # subjects run in this process
        limit_memory_with_children(share_of_machine())
    known = registry()
    described = known.suite(suite)
    writers = [known.writers.get(name) for name in formats.split(",") if name]
    check_options(
        backend=backend,
        scheduler=scheduler,
        contained={"--max-seconds-per-claim": max_seconds_per_claim, "--max-memory": max_memory},
    )
    folder = used_folder(regressions)
    folders = [out] if folder is None else [out, folder]
    check_target(json, events)
    profile = profile or described.profile
    confidence = described.confidence if confidence is None else confidence
    trials = described.trials if trials is None else trials
    methods = method_names(method) or described.methods
    if backend == "processes" and only == "*":
        select_entries(known, suite=suite, profile=profile)  # what is refused, before minutes of compiling
        check_confidence(confidence)
        check_draws(trials)
        chosen_auditors(known, methods)
        for each in folders:
            check_folder(each)
        _compile_once(at_a_time, quiet=quiet)
    plan = suite_plan(
        known,
        suite=suite,
        profile=profile,
        seed=seed,
        confidence=confidence,
        trials=trials,
        methods=methods,
        regressions=None if folder is None else str(folder),
    ).only(only)
    check_trials(plan)
    backend_named(backend, scheduler=scheduler).check(plan)
    for each in folders:
        check_folder(each)
    tell = Telling(quotes=True)
    with open_run(out, *known_by(plan, only=only), resume=resume) as now, say_how_to_resume():
        how = {"jobs": at_a_time, "backend": backend, "limits": limits, "scheduler": scheduler}
        rows = _rows(now, plan, described, quiet=quiet, events=events, **how)
    with say_how_to_resume():
        records = [record(row, described.published.get(row.id)) for row in rows]
        whole = folder is not None and now.state == "done"  # a resumed run must replay the same failures
        keep = partial(save, new_failures(rows))
        saved = tell("the saved failures", partial(keep, folder), []) if folder is not None and whole else []
        report_run(
            records,
            plan=plan,
            title=f"dpverify run {suite} ({plan.profile})",
            begun=begun,
            only=only,
            writers=writers,
            out=out,
            per_row=described.per_row,
            saved=saved,
            quiet=quiet,
            json=json,
            tell=tell,
        )
    sys.stderr.write(unfinished_text(rows))
    if any(row.cut == "interrupted" for row in rows):
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(rows_status(rows, chance=plan.alpha if described.per_row else None))


def _compile_once(jobs: int, *, quiet: bool) -> None:
    """Compile kernels that are not kept yet, each in one process; else each process would compile all that it needs."""
    from dpverify.runner.warm_kernels import warm

    with suppress(DpverifyError):  # what cannot be compiled or kept is an error of the claim that needs it
        warm(jobs=jobs, begins=lambda line: quiet or sys.stderr.write(f"dpverify: {line}\n"))


def _rows(
    now: OpenRun,
    plan: Plan,
    described: Suite,
    *,
    quiet: bool,
    events: Path | None,
    **how: Any,
) -> list[Row]:
    """Run the plan; each row is saved as soon as it is finished."""
    from dpverify.reporting.events import EventWatcher, event_file
    from dpverify.reporting.progress import ProgressDisplay
    from dpverify.runner.execute import execute

    sys.stderr.writelines(f"dpverify: {line}\n" for line in now.mended)
    if now.finished and not quiet:
        sys.stderr.write(f"Resuming run {now.run}: {now.finished} of {len(plan.units)} claims were finished.\n")
    display, title = ProgressDisplay(len(plan.units), quiet=quiet), f"dpverify run {plan.suite}"
    with display, event_file(events, claims=len(plan.units), title=title) as written, prints_to_stderr():
        watch = EventWatcher(events=written, beside=display)
        rows = execute(plan, watcher=watch, store=now.store, run=now.run, keep=partial(_keep, now, described), **how)
    now.state = "cut" if any(row.cut for row in rows) else "done"
    return rows


def _keep(now: OpenRun, described: Suite, row: Row) -> None:
    from dpverify.runner.record import record

    now.keep(row, record(row, described.published.get(row.id)))


def check_options(
    *,
    backend: str,
    scheduler: str | None,
    contained: Mapping[str, Any],
) -> None:
    """Refuse options that would be ignored.

    `backend`, `scheduler`: backend and cluster address of the run. `contained`: options that need a separate process
    for each claim.

    InputError for the first such option that was given.
    """
    if backend == "threads" and (given := _given(contained)):
        raise InputError(
            f"{given} with --backend threads", allowed="--backend processes, where a claim's process can be ended"
        )
    if scheduler is not None and backend != "dask":
        raise InputError(f"--scheduler {scheduler} with --backend {backend}", allowed="--backend dask with it")
    if scheduler is not None and contained.get("--max-memory") is not None:
        raise InputError(
            f"--max-memory {contained['--max-memory']:g} with --scheduler",
            allowed="a limit for workers on this machine",
            remedy="start the cluster's workers with one (dask worker --memory-limit)",
        )


def check_suite_options(of_file: bool, *, of_files: Mapping[str, Any], of_suites: Mapping[str, Any]) -> None:
    """Refuse options of suite files with a built-in suite, and the other way round; InputError for the first."""
    if of_file and (given := _given(of_suites)):
        raise InputError(f"{given} with a suite file", allowed="built-in suites with it", remedy="leave it out")
    if not of_file and (given := _given(of_files)):
        raise InputError(f"{given} with a built-in suite", allowed="a suite file with it", remedy="leave it out")


def _given(options: Mapping[str, Any]) -> str:
    """The first option that has a value; empty without any."""
    return next((name for name, value in options.items() if value is not None), "")
