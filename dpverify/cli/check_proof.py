"""`dpverify check-proof`: the rules and the cost of a proof, checked again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import check_target, emit
from dpverify.core.exit_status import FAILED
from dpverify.shown.rounded import upward


def check_proof(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `dpverify.derive(...).save(FILE)` wrote.")],
    code: Annotated[
        str | None,
        typer.Option(metavar="MODULE:FUNCTION", help="Run this code beside the proof; only code that you trust."),
    ] = None,
    json: Json = None,
) -> None:
    """Check a proof of `dpverify.derive`: each of its rules, its cost, and the code beside it.

    Without --code this says that the program in the file costs what is claimed; nothing is run. With --code the files
    that were read must be the same, and the code must return what the program returns, with the same random numbers,
    on data sets of no record to 200 records. Exits with 1 when the proof does not hold.
    """
    from dpverify.adapters.named_callable import load_callable
    from dpverify.core.errors import InputError
    from dpverify.core.json_text import dump
    from dpverify.proofs.certificate import read
    from dpverify.proofs.check import check
    from dpverify.proofs.operations import ProofError

    check_target(json)
    try:
        told = read(file)
    except ProofError as problem:
        raise InputError(str(problem), allowed="a file that dpverify.derive(...).save(FILE) wrote") from None
    function = None if code is None else load_callable(code)
    try:
        upper, why = check(told, function), ""
    except ProofError as problem:
        upper, why = None, str(problem)
    if emit(json, dump({"holds": not why, "upper": upper, "why": why, "code": code})):
        for line in _lines(told, upper, why, code):
            typer.echo(line)
    raise typer.Exit(FAILED if why else 0)


def _lines(told: dict[str, Any], upper: float | None, why: str, code: str | None) -> list[str]:
    if why or upper is None:
        return [f"does not hold: {why}"]
    parameters = ", ".join(f"{name}={value:g}" for name, value in told["claim"]["parameters"].items())
    beside = f"{code} returns the same" if code else "the code was not run (--code MODULE:FUNCTION)"
    domain = f"for records {told['domain'].get('text')}, {told['relation']}"
    return [
        f"holds: {told['claim']['kind']}({parameters}), at {upward(upper)}, {domain}",
        f"  code: {beside}",
        *(f"  assumed: {each}" for each in told.get("assumptions", [])),
    ]
