"""`dpverify check-proof`: the certificate of a proof, its rules and cost applied again; the code run beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpverify.cli.options import Json, Quiet, limit_option, subject_option
from dpverify.cli.output import check_target, prints_to_stderr, show
from dpverify.core.errors import InputError, exit_status

if TYPE_CHECKING:
    from dpverify.adapters.time_limit import TimeLimit
    from dpverify.core.record import ProofRecord

LARGEST = 2**28
"""Bytes of a certificate."""


def check_proof(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A certificate, or what `audit` or `account --prove` wrote (--json).")
    ],
    code: Annotated[
        str | None,
        subject_option(
            metavar="PACKAGE.MODULE:CALLABLE",
            help="The code that the proof is of: it is imported, read again, and run on data sets of the checker's "
            "own, where it must do what the proof says.",
        ),
    ] = None,
    max_seconds: Annotated[float, limit_option(metavar="S", help="Limit of the runs of the code.")] = 60.0,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Check the certificate of a proof without the code that made it: every rule, and the cost, are applied again.

    Exits with 0 where the proof holds, with 1 where it does not (or is of another code than --code names), and with 2
    where the file cannot be read or holds no proof. Nothing that stands in the file is imported or run.
    """
    from dpverify.adapters.named_callable import load_callable
    from dpverify.adapters.time_limit import TimeLimit
    from dpverify.proofs.certificate import FORMAT
    from dpverify.proofs.operations import ProofError
    from dpverify.proofs.told import holds

    check_target(json)
    limit = TimeLimit(per_call=max_seconds)
    certificate = _certificate(file)
    if certificate["format"] != FORMAT:
        if code is not None:
            raise InputError("--code beside a proof of losses", allowed="the proof alone: it is of no code")
        return _check_losses(certificate, quiet, json)
    fault, found = "", None
    try:
        found = holds(certificate)
        if code is not None:
            with prints_to_stderr(bounded=True):
                fault = _fault_beside(certificate, load_callable(code), code, limit)
    except ProofError as problem:
        fault = str(problem)
    show(json, _values(found, fault, code), [_line(found, fault, file, code)], quiet=quiet)
    raise typer.Exit(exit_status(["differs"] if fault else []))


def _certificate(file: Path) -> dict[str, Any]:
    """The certificate in a file, or in the one record there; InputError where there is none."""
    from dpverify.accounting.proved import check_losses
    from dpverify.core.errors import one_line
    from dpverify.core.read_untrusted import parse_json, read_text
    from dpverify.proofs.certificate import FORMAT

    try:
        told = parse_json(read_text(file, largest=LARGEST))
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or one_line(str(problem))[:200]
        raise InputError(f"{file} cannot be read: {said}", allowed="a certificate, which is JSON") from None
    records = told if isinstance(told, list) else [told]
    proofs = [each.get("proof") for each in records if isinstance(each, dict)]
    accounts = [each.get("accountants") for each in records if isinstance(each, dict)]
    proofs += [each for rows in accounts if isinstance(rows, list) for each in rows]
    inner = [each["certificate"] for each in proofs if isinstance(each, dict) and "certificate" in each]
    found = inner[0] if len(inner) == 1 else told
    if not isinstance(found, dict) or found.get("format") not in (FORMAT, check_losses.FORMAT):
        raise InputError(
            f"{file} is no {FORMAT}" + (f": it has {len(inner)} proofs" if len(inner) > 1 else ""),
            allowed="a certificate, or the record of one audit that has one",
            remedy="make one: dpverify audit ... --data EXAMPLE --proof FILE, or account ... --prove --json FILE",
        )
    return found


def _check_losses(certificate: dict[str, Any], quiet: bool, json: str | None) -> None:
    """Check the proof of an account, and say what it proves and on which axioms."""
    from dpverify.accounting.proved.axioms import rests_on
    from dpverify.accounting.proved.check_losses import LossProofError, checked
    from dpverify.accounting.proved.shown import outward, shown
    from dpverify.core.printable import visible

    told: dict[str, Any] = {}
    fault, line = "", ""
    try:
        found = checked(certificate)
        axioms = rests_on([step["step"] for step in found["steps"]])
        ends = {"lower": outward(found["lower"], up=False), "upper": outward(found["upper"], up=True)}
        told = {**found, **ends, "given": float(found["given"]), "rests_on": axioms}
        line = f"proved: {shown(found)}. It rests on: {'; '.join(axioms)}."
    except LossProofError as problem:
        fault = str(problem)
    show(json, {"proved": not fault, "fault": fault, **told}, [visible(line or f"does not hold: {fault}")], quiet=quiet)
    raise typer.Exit(exit_status(["differs"] if fault else []))


def _fault_beside(certificate: dict[str, Any], function: Any, name: str, limit: TimeLimit) -> str:
    """Run the code beside its proof and read it again, and say where they differ; empty where they do not."""
    from dpverify.adapters.bound import function_of
    from dpverify.adapters.foreign_call import foreign_call
    from dpverify.derivation.again import fault_of_code

    with limit, foreign_call(name, limit, allowed="code that runs as its proof says"):
        return fault_of_code(certificate, function_of(function))


def _line(found: ProofRecord | None, fault: str, file: Path, code: str | None) -> str:
    from dpverify.core.printable import visible
    from dpverify.runner.verdict_strength import proof_line

    if found is None or fault:
        return visible(f"does not hold: {fault}")
    beside = f"the code {code} was read again and run beside it" if code else "no code was run beside it (--code)"
    return visible(
        f"proved: {found['claim']}: {proof_line(found)}; {beside}. It rests on: {'; '.join(found['rests_on'])}."
    )


def _values(found: ProofRecord | None, fault: str, code: str | None) -> dict[str, Any]:
    told = {} if found is None else {name: each for name, each in found.items() if name != "certificate"}
    return {"proved": not fault, "fault": fault, "code": code, **told}
