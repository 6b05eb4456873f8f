"""`dpverify ledger`: the papers' claims and verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from dpverify.cli.options import Json, Seed, claim_option, kept_option, limit_option, output_option, search_option
from dpverify.cli.output import check_target, emit, prints_to_stderr, resume_command
from dpverify.core.errors import INTERRUPTED, InputError, exit_status
from dpverify.core.record import Record
from dpverify.runner.limits import number_of_jobs

if TYPE_CHECKING:
    from dpverify.core.registry import Registry


def ledger(
    paper: Annotated[str | None, claim_option(help="Only one paper's rows, such as BLSGD.")] = None,
    verdict: Annotated[str | None, claim_option(help="Only rows with this verdict, such as refuted.")] = None,
    relation: Annotated[str | None, claim_option(help="Only one relation's rows, such as add-remove.")] = None,
    id: Annotated[str | None, claim_option(help="Show one row (or its readings and repairs) in detail.")] = None,
    rerun: Annotated[
        bool, search_option("--rerun", help="Run the audits again instead of reading the records.")
    ] = False,
    refresh: Annotated[
        bool,
        search_option(
            "--refresh", help="Update stale records: repeat a small part of each, and run those again that differ."
        ),
    ] = False,
    profile: Annotated[str, search_option(help="With --rerun: quick or full.")] = "quick",
    jobs: Annotated[int, limit_option(help="Audits at a time.")] = 0,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        kept_option(
            metavar="DIR", help="With --rerun: folder for the new records. With --refresh: folder of the records."
        ),
    ] = None,
    store: Annotated[
        Path | None, kept_option(metavar="DIR", help="With --rerun: folder that keeps finished work, for --resume.")
    ] = None,
    resume: Annotated[
        bool, kept_option("--resume", help="Continue the same --rerun from the work in --store.")
    ] = False,
    render: Annotated[
        Path | None,
        output_option(metavar="DIR", help="Folder for pages of all rows, with figures, made from the records."),
    ] = None,
    format: Annotated[str, output_option(help="table, json or md.")] = "table",
    json: Json = None,
) -> None:
    """Show every claim of the papers with its verdict. Exits with 3 if an audit could not be completed."""
    from dpverify.core.json_text import dump
    from dpverify.core.plugins import registry
    from dpverify.ledger.committed_records import records_folder
    from dpverify.ledger.decide import Rerun
    from dpverify.ledger.rows import Wanted, ledger_rows
    from dpverify.reporting.ledger_markdown import table
    from dpverify.reporting.ledger_pages import write_pages
    from dpverify.reporting.ledger_table import ledger_detail, ledger_table
    from dpverify.reporting.progress import ProgressDisplay

    if format not in ("table", "json", "md"):
        raise InputError(f"--format {format!r}", allowed="table, json, md")
    if rerun and refresh:
        raise InputError("--rerun with --refresh", allowed="one of them: --rerun runs all rows again")
    if not (rerun or refresh) and (out or store or resume):
        raise InputError("--out, --store or --resume without --rerun", allowed="--rerun with them")
    if refresh:
        out = out or records_folder()
    check_target(json)
    how = Rerun(
        profile=profile,
        jobs=number_of_jobs(jobs),
        seed=seed,
        out=out,
        store=store,
        resume=resume,
        watch=lambda total: ProgressDisplay(total, quiet=json == "-" or format == "json"),
    )
    wanted = Wanted(paper=paper, id=id, verdict=verdict, relation=relation)
    with prints_to_stderr():
        found = ledger_rows(registry(), wanted, rerun=how if rerun or refresh else None, refreshing=refresh)
    records = found.records
    if render is not None:
        titles = {paper.name: paper.title for paper in registry().papers.in_order()}
        for path in [
            *write_pages(records, registry(), render, titles=titles),
            *_measured_pages(registry(), records, render),
        ]:
            sys.stderr.write(f"{path}\n")
    elif emit(json, dump(records)):
        console = Console()
        if format == "json":
            sys.stdout.write(dump(records))
        elif format == "md":
            sys.stdout.write(table(records))
        elif id is not None:
            ledger_detail(records, console)
        else:
            ledger_table(records, console)
    if found.refreshed:
        sys.stderr.write(f"{found.refreshed}\n")
    if found.skipped:
        sys.stderr.write(f"{found.skipped} rows take longer and are run by --profile full only; they are unchanged.\n")
    if found.left:
        on = f"; go on with: {resume_command()}" if store else ""
        sys.stderr.write(f"Stopped: {found.left} rows are left{on}\n")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(exit_status(item["verdict"] for item in records if item["verdict"] == "error"))


def _measured_pages(known: Registry, records: list[Record], folder: Path) -> list[Path]:
    """Pages of the experiments whose statements are shown and which have a committed record."""
    from dpverify.ledger.utility_records import read_experiment
    from dpverify.reporting.utility_pages import write_utility_pages

    shown = {item["id"]: item for item in records}
    kept = {
        name: found
        for name, experiment in known.experiments.items()
        if all(each.id in shown for each in experiment.statements) and (found := read_experiment(name)) is not None
    }
    return write_utility_pages(known, kept, shown, folder) if kept else []
