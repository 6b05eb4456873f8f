"""`dpverify history`: the runs in a store, and how a claim's bound moved over them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dpverify.cli.options import Json
from dpverify.cli.output import check_target, emit
from dpverify.core.errors import exit_status


def history(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The --out of earlier runs.")] = Path("reports/local"),
    claim: Annotated[
        str | None, typer.Option(metavar="GLOB", help="Show how the bounds of the claims with these ids changed.")
    ] = None,
    json: Json = None,
) -> None:
    """Show the past runs in a store; with --claim, how a bound changed from run to run.

    Exits with 3 when the checksum of a row differs. Each such row is named, and neither counted nor shown.
    """
    from dpverify.core.json_text import dump
    from dpverify.reporting.history_lines import history_faults, history_tables, history_values
    from dpverify.reporting.read_records import records_of_schema
    from dpverify.runner.history import history as remembered
    from dpverify.runner.record import plain
    from dpverify.runner.store.store import NAME

    check_target(json)
    store = folder if folder.is_file() else folder / NAME
    found = remembered(store, claim=claim, check=lambda record: records_of_schema(record, str(store)))
    if emit(json, dump(plain(history_values(found)))):
        history_tables(found, Console())
    for line in history_faults(found):
        typer.echo(f"dpverify: {line}", err=True)
    raise typer.Exit(exit_status("not seen" for _ in found.faults))
