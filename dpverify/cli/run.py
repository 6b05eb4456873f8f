"""`dpverify run`: a suite, audited."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dpverify.cli.jobs import number_of_jobs
from dpverify.cli.options import Json, Method, Seed, method_names
from dpverify.cli.output import check_target, emit, prints_to_stderr


def run(
    suite: Annotated[str, typer.Argument(help="core, standard or papers.")] = "core",
    profile: Annotated[str, typer.Option(help="quick or full.")] = "quick",
    jobs: Annotated[int, typer.Option(help="Audits at a time; the numbers do not depend on it.")] = 0,
    backend: Annotated[str, typer.Option(help="processes or threads.")] = "processes",
    seed: Seed = 0,
    confidence: Annotated[float, typer.Option(help="Of the whole run, one-sided.")] = 0.999,
    trials: Annotated[int | None, typer.Option(help="Draws per side and audit (default: the profile's).")] = None,
    method: Method = None,
    only: Annotated[str, typer.Option(metavar="GLOB", help="Only claims whose id matches.")] = "*",
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where reports go.")] = Path("reports/local"),
    formats: Annotated[str, typer.Option("--format", help="Report files to write below --out.")] = "html,json",
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no table.")] = False,
    json: Json = None,
) -> None:
    """Audit a suite of claims and compare the verdicts with what is expected."""
    from dpverify.core.plugins import registry
    from dpverify.reporting.terminal import Watch, closing_table
    from dpverify.runner.execute import execute
    from dpverify.runner.files import check_folder
    from dpverify.runner.plan import check_trials, suite_plan
    from dpverify.runner.record import dump, record
    from dpverify.runner.row import exit_status

    begun = time.perf_counter()
    known = registry()
    writers = [known.writers.get(name) for name in formats.split(",") if name]
    plan = suite_plan(
        known,
        suite=suite,
        profile=profile,
        seed=seed,
        confidence=confidence,
        trials=trials,
        methods=method_names(method),
    ).only(only)
    check_trials(plan)
    check_target(json)
    if writers:
        check_folder(out)
    with Watch(len(plan.units), quiet=quiet) as watch, prints_to_stderr():
        rows = execute(plan, jobs=number_of_jobs(jobs), backend=backend, watcher=watch)
    records = [record(row) for row in rows]
    title = f"dpverify run {suite} ({profile})"
    written = [writer.write(records, out, title=title) for writer in writers]
    text = dump(records)
    if emit(json, text) and not quiet:
        console = Console()
        closing_table(records, console)
        rate = plan.alpha * plan.statistical
        console.print(
            f"False-alarm probability of the whole run: at most {rate:.2g} "
            f"({plan.statistical} statistical audits, {plan.alpha:.2g} each).",
            highlight=False,
        )
        console.print(f"{time.perf_counter() - begun:.1f} s; reports: {', '.join(map(str, written))}", highlight=False)
    raise typer.Exit(exit_status(rows))
