"""`dpverify audit-accountant`: do an accountant's answers contradict each other, or a lower bound?"""

from __future__ import annotations

from typing import Annotated

import typer

from dpverify.cli.options import Json, Quiet, Seed, claim_option, limit_option, search_option, subject_option
from dpverify.cli.output import at_work, check_target, prints_to_stderr, record_command, show
from dpverify.cli.printing import wrapped
from dpverify.core.errors import InputError, exit_status


def audit_accountant(
    accountant: Annotated[
        str,
        typer.Argument(
            metavar="NAME|MODULE:FUNCTION", help="A name of --list; or a function, or a class with compose and epsilon."
        ),
    ] = "",
    steps: Annotated[
        str | None, claim_option(metavar="KINDS", help="Steps that it takes, such as gaussian,poisson-gaussian.")
    ] = None,
    relation: Annotated[
        str | None, claim_option(metavar="NAME", help="Of its answers: add-remove (default) or replace.")
    ] = None,
    error: Annotated[
        float | None, claim_option(metavar="E", help="Relative error that it states for its answers.")
    ] = None,
    settings: Annotated[int, search_option(metavar="N", help="Settings that each relation is looked at in.")] = 60,
    max_seconds_per_call: Annotated[float, limit_option(metavar="S", help="Time limit of one call.")] = 60.0,
    list_: Annotated[bool, subject_option("--list", help="Only say which accountants have names.")] = False,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Search for answers of a privacy accountant that contradict each other, or a lower bound.

    Exits with 1 when the accountant is refuted, and with 3 when answers are inconsistent.
    """
    from dpverify.accountant_audit.audit import audit_accountant as audited
    from dpverify.adapters.named_callable import load_callable
    from dpverify.runner.memory import limit_files, limit_memory_with_children, share_of_machine
    from dpverify.runner.record import plain

    if list_:
        for line in _names():
            typer.echo(line)
        raise typer.Exit(0)
    if not accountant:
        raise InputError("no accountant", allowed="a name that --list shows, or MODULE:FUNCTION")
    check_target(json)
    limit_files()
    limit_memory_with_children(share_of_machine())
    with at_work(f"auditing {accountant}", quiet=quiet), prints_to_stderr(bounded=True):
        found = audited(
            load_callable(accountant) if ":" in accountant else accountant,
            steps=None if steps is None else [each.strip() for each in steps.split(",") if each.strip()],
            relation=relation,
            error=error,
            settings=settings,
            max_seconds_per_call=max_seconds_per_call,
            seed=seed,
            name=accountant,
        )
    show(json, plain(found.record() | {"reproduce": record_command()}), map(wrapped, found.lines()), quiet=quiet)
    raise typer.Exit(exit_status([found.verdict]))


def _names() -> list[str]:
    """The accountants with names, each with what is called or why it cannot be."""
    from dpverify.core.plugins import registry

    known = registry()
    told = [f"{name:<22} ours: {one.source}" for name, one in known.accountants.items()]
    for name, one in known.library_accountants.items():
        try:
            version = f"{one.package} {one.version()}: {one.about}"
        except InputError as problem:
            version = f"not installed: {problem.remedy}"
        told.append(f"{name:<22} {version}")
    return told
