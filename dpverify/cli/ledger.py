"""`dpverify ledger`: the papers' claims and verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dpverify.cli.jobs import number_of_jobs
from dpverify.cli.options import Json, Seed
from dpverify.cli.output import emit
from dpverify.core.errors import InputError


def ledger(
    paper: Annotated[str | None, typer.Option(help="Only one paper's rows, such as BLSGD.")] = None,
    id: Annotated[str | None, typer.Option(help="One row, whole.")] = None,
    rerun: Annotated[bool, typer.Option("--rerun", help="Decide afresh instead of reading the records.")] = False,
    profile: Annotated[str, typer.Option(help="quick or full, with --rerun.")] = "quick",
    jobs: Annotated[int, typer.Option(help="Audits at a time.")] = 0,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="With --rerun: keep the records here.")] = None,
    format: Annotated[str, typer.Option(help="table, json or md.")] = "table",
    json: Json = None,
) -> None:
    """Show every claim of the papers with its verdict. Exits with 0 when every row was decided."""
    from dpverify.core.plugins import registry
    from dpverify.ledger.rows import ledger_records
    from dpverify.reporting.markdown_writer import table
    from dpverify.reporting.progress import Watch
    from dpverify.reporting.terminal import ledger_detail, ledger_table
    from dpverify.runner.record import dump

    if format not in ("table", "json", "md"):
        raise InputError(f"--format {format!r}", allowed="table, json, md")
    records = ledger_records(
        registry(),
        paper=paper,
        id=id,
        rerun=rerun,
        profile=profile,
        jobs=number_of_jobs(jobs),
        seed=seed,
        out=out,
        watch=lambda total: Watch(total, quiet=json == "-" or format == "json"),
    )
    if emit(json, dump(records)):
        console = Console()
        if format == "json":
            sys.stdout.write(dump(records))
        elif format == "md":
            sys.stdout.write(table(records))
        elif id is not None:
            ledger_detail(records, console)
        else:
            ledger_table(records, console)
    raise typer.Exit(3 if any(item["verdict"] == "error" for item in records) else 0)
