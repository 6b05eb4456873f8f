"""`dpverify report`: the pages of a run, made again from its records; as PDF, too."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import check_target, emit_records
from dpverify.core.errors import AuditError, InputError, one_line


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
    from dpverify.reporting.facts import facts_of_runs, reports_of
    from dpverify.reporting.read_records import read_records
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


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
VARIABLE = "DPVERIFY_BROWSER"
SECONDS = 300.0


def browser() -> str:
    """The command of the browser; InputError where there is none."""
    given = os.environ.get(VARIABLE)
    found = shutil.which(given) if given else next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise InputError(
            f"{VARIABLE} = {given!r} is no command" if given else "no Chromium here, which a PDF needs",
            allowed=f"one of {', '.join(BROWSERS)}",
            remedy=f"install chromium, set {VARIABLE} to a browser of its kind, or print report.html yourself",
        )
    return found


def print_pdf(page: Path, target: Path) -> Path:
    """Print `page` to `target`, whole or not at all; AuditError where the browser fails."""
    command = browser()
    with tempfile.TemporaryDirectory(prefix=".dpverify-pdf-", dir=target.parent) as folder:
        made = Path(folder) / "page.pdf"
        words = [command, "--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}/profile"]
        words += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # it refuses root otherwise
        words += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000", "--no-pdf-header-footer"]
        words += [f"--print-to-pdf={made}", page.resolve().as_uri()]
        try:
            done = subprocess.run(words, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise AuditError(f"{Path(command).name} did not print {page.name} within {SECONDS:g} s") from None
        if not made.is_file():
            said = one_line(done.stderr.decode(errors="replace"))[-200:]
            raise AuditError(f"{Path(command).name} did not print {page.name} (status {done.returncode}): {said}")
        try:
            made.replace(target)
        except OSError as problem:
            raise InputError(
                f"{target} cannot be written: {problem.strerror}", allowed="a file in a folder of yours"
            ) from None
    return target
