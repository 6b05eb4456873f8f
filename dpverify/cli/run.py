"""`dpverify run`: a suite, audited."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from dpverify.cli.jobs import number_of_jobs
from dpverify.cli.options import Json, Method, Seed, method_names
from dpverify.cli.output import check_target, emit, prints_to_stderr


def run(
    suite: Annotated[str, typer.Argument(help="core, standard or papers.")] = "core",
    profile: Annotated[
        str | None, typer.Option(help="quick, full or benchmark (default: the suite's, else quick).")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Audits at a time; the numbers do not depend on it.")] = 0,
    backend: Annotated[str, typer.Option(help="processes or threads.")] = "processes",
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
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where reports go.")] = Path("reports/local"),
    formats: Annotated[str, typer.Option("--format", help="Report files to write below --out.")] = "html,json",
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no table.")] = False,
    json: Json = None,
) -> None:
    """Audit a suite of claims and compare the verdicts with what is expected."""
    from dpverify.core.plugins import registry
    from dpverify.reporting.benchmark import benchmark_table
    from dpverify.reporting.terminal import Watch, closing_table
    from dpverify.runner.execute import execute
    from dpverify.runner.files import check_folder
    from dpverify.runner.plan import check_trials, suite_plan
    from dpverify.runner.record import dump, record
    from dpverify.runner.regressions import DEFAULT, failures, save
    from dpverify.runner.row import exit_status

    begun = time.perf_counter()
    known = registry()
    described = known.suite(suite)
    profile = profile or described.profile
    writers = [known.writers.get(name) for name in formats.split(",") if name]
    folder = regressions or (DEFAULT if DEFAULT.is_dir() else None)
    plan = suite_plan(
        known,
        suite=suite,
        profile=profile,
        seed=seed,
        confidence=described.confidence if confidence is None else confidence,
        trials=described.trials if trials is None else trials,
        methods=method_names(method) or described.methods,
        regressions=None if folder is None else str(folder),
    ).only(only)
    check_trials(plan)
    check_target(json)
    if writers:
        check_folder(out)
    if folder is not None:
        check_folder(folder)
    with Watch(len(plan.units), quiet=quiet) as watch, prints_to_stderr():
        rows = execute(plan, jobs=number_of_jobs(jobs), backend=backend, watcher=watch)
    records = [record(row, described.published.get(row.id)) for row in rows]
    saved = save(failures(rows), folder) if folder is not None else []
    title = f"dpverify run {suite} ({profile})"
    written = [writer.write(records, out, title=title) for writer in writers]
    text = dump(records)
    if emit(json, text) and not quiet:
        console = Console()
        closing_table(records, console)
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
    raise typer.Exit(exit_status(rows, chance=plan.alpha if described.per_row else None))


def _replays(records: list[dict[str, Any]]) -> str:
    """How many saved failures were tried again, and how many of them still refute."""
    told = [each for item in records for one in item["evidence"] for each in one["statistics"].get("replayed", ())]
    refuted = sum(each["says"] == "refuted" for each in told)
    unfit = sum(each["says"].startswith("cannot") for each in told)
    return f"{len(told)} replayed, {refuted} still refute" + (f", {unfit} cannot be replayed" if unfit else "")
