"""`dpverify dossier`: what an evaluator asks, answered from records and declarations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import check_target, emit
from dpverify.core.errors import InputError, exit_status


def dossier(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN]...", help="Reports of a run, its store, a record, or a folder of records."),
    ] = None,
    declarations: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What only people can say, in TOML; --init writes a first one."),
    ] = None,
    init: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a first declarations file for these runs, and do nothing else."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write dossier.html, dossier.md and dossier.json there.")
    ] = None,
    attest: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the records as an in-toto Test Result with the subject's digest."),
    ] = None,
    subject: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="With --attest: a file that was audited; found from the records if left out."
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Answer the questions of NIST SP 800-226, the OpenDP registry and W3C from records and declarations.

    Each is answered by evidence where the records have it, by a declaration where only a person can say it, and else
    not at all. Exits with 1 when the records contradict a declaration or themselves, or an audited claim failed.
    """
    import datetime

    from dpverify.core.json_text import dump
    from dpverify.dossier.attestation import statement, subject_files
    from dpverify.dossier.declarations import read_declarations
    from dpverify.dossier.dossier import dossier as answered
    from dpverify.dossier.dossier import failed
    from dpverify.dossier.first_file import first_file
    from dpverify.dossier.page import lines, write_dossier
    from dpverify.dossier.runs import read_runs
    from dpverify.reporting.checked_records import require_agreement
    from dpverify.reporting.read_records import read_records
    from dpverify.runner.atomic_files import check_folder, write_atomically
    from dpverify.suite_file.first_file import write_new

    today = datetime.date.today()
    if init is not None:
        if any(each is not None for each in (declarations, out, attest, json)):
            raise InputError("--init with other options", allowed="runs and --init FILE")
        write_new(init, first_file(read_runs(runs or [], controls=None).records, today=today))
        again = " ".join(["dpverify dossier", *(map(str, runs) if runs else ["RUN"]), f"--declarations {init}"])
        typer.echo(f"wrote {init}; fill in what you can answer for, then: {again}")
        return
    if not runs:
        raise InputError("no run is given", allowed="reports of a run, such as those of `dpverify run --out DIR`")
    if subject and attest is None:
        raise InputError("--subject without --attest", allowed="--attest FILE --subject FILE")
    check_target(json)
    if out is not None:
        check_folder(out)
    for path in runs:
        require_agreement(read_records(path), path)
    declared = None if declarations is None else read_declarations(declarations, today=today)
    read = read_runs(runs, controls=() if declared is None else declared.controls)
    found = answered(read, declared, today=today)
    if attest is not None:
        made = statement(read, subject_files(read, subject or []), found["contradictions"])
        typer.echo(
            f"dpverify: written: {write_atomically(attest, dump(made))} (result: {made['predicate']['result']})",
            err=True,
        )
    if out is not None:
        for path in write_dossier(found, out):
            typer.echo(f"dpverify: written: {path}", err=True)
    if emit(json, dump(found)):
        for line in lines(found):
            typer.echo(line)
    raise typer.Exit(exit_status(["FAILED"] if failed(found) else []))
