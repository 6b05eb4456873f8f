"""`dpverify report`: the pages of a run, made again from its records; as PDF, too."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import check_target, emit_records
from dpverify.core.errors import InputError


def report(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN...", help="Reports of a run, its store, a record, or a folder of records."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for report.html and the other formats.")
    ] = None,
    format: Annotated[str, typer.Option(metavar="<str>", help="Formats, such as html,json,md,junit,sarif.")] = "html",
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Print report.html to report.pdf by this machine's Chromium.")
    ] = False,
    title: Annotated[str, typer.Option(metavar="<str>", help="Headline of the report.")] = "Audit report",
    json: Json = None,
) -> None:
    """Make the reports of finished runs from their records; nothing is audited again.

    Records that contradict themselves (`dpverify recheck`) are refused with exit status 1: no page shows their numbers.
    """
    from dpverify.core.plugins import registry
    from dpverify.reporting.checked_records import require_agreement
    from dpverify.reporting.pdf_print import browser, print_pdf
    from dpverify.reporting.read_records import read_records
    from dpverify.reporting.run_facts import facts_of_runs, reports_of
    from dpverify.runner.atomic_files import check_folder

    if not runs:
        raise InputError("no run is given", allowed="reports of a run, such as those of `dpverify run --out DIR`")
    if out is None:
        raise InputError("no --out", allowed="--out DIR, where the reports go")
    names = list(dict.fromkeys([*filter(None, format.split(",")), *(["html"] if pdf else [])]))
    known = registry().writers
    for name in names:
        if name not in known:
            raise InputError(f"--format {name!r}", allowed=f"one or more of {', '.join(sorted(known))}")
    if pdf:
        browser()
    check_target(json)
    each = {run: read_records(run) for run in runs}
    for run, rows in each.items():
        require_agreement(rows, run)
    records = [record for rows in each.values() for record in rows]
    check_folder(out)
    with reports_of(facts_of_runs(runs)):
        for name in names:
            path = known.get(name).write(records, out, title=title)
            typer.echo(f"dpverify: written: {path}", err=True)
    if pdf:
        typer.echo(f"dpverify: written: {print_pdf(out / 'report.html', out / 'report.pdf')}", err=True)
    emit_records(json, records)
