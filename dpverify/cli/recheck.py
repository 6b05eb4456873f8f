"""`dpverify recheck`: the bounds of a run, computed again from the counts in its records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import check_target, emit


def recheck(
    where: Annotated[
        Path,
        typer.Argument(metavar="DIR|FILE", help="Reports of a run, its store, or one record."),
    ] = Path("reports/local"),
    run: Annotated[int | None, typer.Option(help="Run of a store (default: the newest with records).")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No output but the exit status.")] = False,
    json: Json = None,
) -> None:
    """Compute every bound again from the counts in its record, without drawing.

    Exits with 0 when all agree, with 1 when a bound or a verdict does not follow from its counts, and with 3 when
    numbers are missing in a record, or its checksum in the store differs. Exact laws have no counts; the command that
    computes them is shown.
    """
    from functools import partial

    from dpverify.core.json_text import dump
    from dpverify.core.plugins import registry
    from dpverify.definitions.grammar import parse_guarantee
    from dpverify.reporting.read_records import read_records
    from dpverify.reporting.recheck_lines import recheck_lines, recheck_values
    from dpverify.runner.recheck import recheck as look
    from dpverify.runner.record import plain

    check_target(json)
    records = read_records(where, run=run)
    known = registry()
    read = partial(parse_guarantee, definitions=known.definitions.mapping())
    found = [look(item, read=read, auditors=known.auditors.mapping()) for item in records]
    if emit(json, dump(plain(recheck_values(found)))) and not quiet:
        for line in recheck_lines(found):
            typer.echo(line)
    says = {item.says for item in found}
    raise typer.Exit(1 if "differs" in says else 3 if "lacks" in says else 0)
