"""`dpverify reproduce`: figures and tables of papers, measured again, and what the papers say about them, judged."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.options import Json, Seed, kept_option, limit_option, output_option, search_option
from dpverify.cli.output import check_target, emit, prints_to_stderr, resume_command
from dpverify.core.errors import INTERRUPTED, exit_status
from dpverify.runner.limits import number_of_jobs

OUT = Path("reports/local/utility")


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]",
            help="Experiments, papers, or ids of statements (default: all); `dpverify list experiments` shows them.",
        ),
    ] = None,
    profile: Annotated[str, search_option(help="quick (minutes) or full (hours).")] = "quick",
    jobs: Annotated[int, limit_option(help="Trainings at a time; the numbers do not depend on it.")] = 0,
    backend: Annotated[
        str, limit_option(help="processes, threads, or dask (pip install 'dpverify[dask]').")
    ] = "processes",
    scheduler: Annotated[str | None, limit_option(metavar="ADDRESS", help="Address of a trusted Dask cluster.")] = None,
    seed: Seed = 0,
    out: Annotated[
        Path, kept_option(metavar="DIR", help="Folder for records, pages, and finished work for --resume.")
    ] = OUT,
    resume: Annotated[bool, kept_option("--resume", help="Go on with the same run in --out.")] = False,
    quiet: Annotated[bool, output_option("--quiet", help="Show no progress.")] = False,
    json: Json = None,
) -> None:
    """Measure figures and tables of the papers again, and judge what they say about them."""
    from dpverify.core.json_text import dump
    from dpverify.core.plugins import registry
    from dpverify.ledger.committed_records import write_records
    from dpverify.ledger.utility_records import experiment_record, read_experiment, statement_record, write_experiment
    from dpverify.reporting.means_beside import beside_lines, means_beside
    from dpverify.reporting.progress import CellsProgress
    from dpverify.reporting.utility_pages import cut_of, outcome_of, statement_lines, write_utility_pages
    from dpverify.runner.atomic_files import write_atomically
    from dpverify.utility.reproduce import How, chosen
    from dpverify.utility.reproduce import reproduce as measure

    check_target(json)
    known = registry()
    wanted = chosen(known, names or [])
    how = How(
        store=out,
        profile=profile,
        jobs=number_of_jobs(jobs),
        backend=backend,
        scheduler=scheduler,
        seed=seed,
        resume=resume,
        watch=lambda: CellsProgress(quiet=quiet or json == "-"),
    )
    with prints_to_stderr():
        found = measure(known, wanted, how)
        records = [statement_record(known, row, profile=profile, seed=seed) for row in found.rows.values()]
        kept = [experiment_record(known, run, seconds=found.seconds.get(name, 0.0)) for name, run in found.runs.items()]
    write_records(records, out / "records")
    for each in kept:
        write_experiment(each, out / "records")
    if found.left:
        sys.stderr.write(f"Stopped: {found.left} trainings are left; go on with: {resume_command()}\n")
        raise typer.Exit(INTERRUPTED)
    pages = write_utility_pages(
        known, {each["name"]: each for each in kept}, {each["id"]: each for each in records}, out
    )
    beside = [means_beside(each, old) for each in kept if (old := read_experiment(each["name"])) is not None]
    means = write_atomically(out / "means.json", dump(beside))
    if emit(json, dump(records)):
        for line in statement_lines(records):
            typer.echo(line)
        cuts = {each["name"]: cut_of(each) for each in kept}
        for each in beside:
            for line in beside_lines(each, cut=cuts[each["name"]], every=len(kept) == 1):
                typer.echo(line)
        if any(outcome_of(item) == "missing" for item in records):
            typer.echo("Data are missing: set DPVERIFY_DATA to the folder that has them (`dpverify list datasets`).")
        for path in pages[:1]:
            typer.echo(f"pages: {path}")
        if beside:
            typer.echo(f"means beside the committed ones: {means}")
    raise typer.Exit(exit_status(item["verdict"] for item in records if item["verdict"] == "error"))
