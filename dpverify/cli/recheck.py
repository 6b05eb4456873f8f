"""`dpverify recheck`: the bounds of a run, computed again from the counts in its records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.options import Json, Quiet
from dpverify.cli.output import check_target, show
from dpverify.core.errors import exit_status


def recheck(
    where: Annotated[
        Path,
        typer.Argument(metavar="DIR|FILE", help="Reports of a run, its store, or one record."),
    ] = Path("reports/local"),
    run: Annotated[int | None, typer.Option(help="Run of a store (default: the newest with records).")] = None,
    expect_digest: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="SHA-256 of the file, obtained from elsewhere than from who sent the file."),
    ] = None,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Compute every bound again from the counts in its record, without drawing.

    Exits with 0 when all agree, with 1 when a number, a pair or a verdict does not follow from what stands beside it,
    or the file has another digest than expected, and with 3 when numbers are missing in a record, its checksum in the
    store differs, or its verdict rests on an exact law, which has no counts; the command that computes it is shown.
    What was not checked stands in the last line.
    """
    from dpverify.reporting.checked_records import checked_records, require_digest
    from dpverify.reporting.read_records import read_records
    from dpverify.reporting.recheck_lines import recheck_lines, recheck_values
    from dpverify.runner.record import plain

    check_target(json)
    checked = checked_records(read_records(where, run=run), where if run is None else None)
    if expect_digest is not None:
        require_digest(checked, expect_digest, where)
    lines = recheck_lines(checked, expected=expect_digest is not None)
    show(json, plain(recheck_values(checked.rows)), lines, quiet=quiet)
    says = {item.says for item in checked.rows}
    unseen = "lacks" in says or any(each.says == "exact" for item in checked.rows for each in item.looked[:1])
    raise typer.Exit(exit_status([*says, *("differs" for _ in checked.faults), *(["not seen"] if unseen else [])]))
