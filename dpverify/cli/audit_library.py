"""`dpverify audit-library`: every claim of an installed library, audited, in one table."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.options import (
    Json,
    Quiet,
    Seed,
    claim_option,
    kept_option,
    limit_option,
    search_option,
    whole_number,
)
from dpverify.cli.output import check_target, emit, prints_to_stderr, warn
from dpverify.core.errors import InputError, exit_status
from dpverify.core.record import Record
from dpverify.runner.limits import number_of_jobs

PROFILES = ("quick", "full")


def audit_library(
    library: Annotated[str, typer.Argument(metavar="NAME", help="A library; --list shows them.")] = "",
    only: Annotated[str, claim_option(metavar="GLOB", help="Only the claims whose id matches.")] = "*",
    profile: Annotated[str, search_option(help="quick: a point a kind, 12,000 draws; full: 400,000.")] = "quick",
    trials: Annotated[
        int | None,
        search_option(parser=whole_number, metavar="N", help="Draws a side of each claim, however slow they are."),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[int, limit_option(help="Audits at a time; 0: every core.")] = 0,
    out: Annotated[Path | None, kept_option(metavar="DIR", help="Write the table and its records here.")] = None,
    resume: Annotated[bool, kept_option("--resume", help="Go on with what DIR holds of the same table.")] = False,
    max_seconds: Annotated[
        float | None, limit_option(metavar="S", help="Time limit of the session; --resume goes on with what is left.")
    ] = None,
    show: Annotated[bool, claim_option("--show", help="Only say which claims there are; audit nothing.")] = False,
    list_: Annotated[bool, claim_option("--list", help="Only say which libraries there are.")] = False,
    max_memory: Annotated[
        float | None, limit_option(metavar="GB", help="Memory limit of a worker (default: 80 % of the machine's).")
    ] = None,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Audit every claim that an installed library makes, and show one table.

    Exits with 1 when a claim is refuted or a twin that was broken on purpose is missed, and with 3 when an audit was
    not completed.
    """
    from dpverify.adapters.libraries import find_library
    from dpverify.core.json_text import dump
    from dpverify.core.note import Telling
    from dpverify.core.plugins import registry
    from dpverify.libraries.session import LibrarySession, run, word_of, words_of
    from dpverify.libraries.tables import markdown, taken, text, write_table
    from dpverify.runner.atomic_files import check_folder, write_atomically
    from dpverify.runner.limits import Limits, gigabytes
    from dpverify.runner.memory import share_of_machine

    if list_:
        for name in registry().libraries:
            typer.echo(f"{name:<16} {_installed(name)}")
        raise typer.Exit(0)
    if not library:
        raise InputError("no library", allowed=", ".join(registry().libraries))
    chosen: Any = profile
    if profile not in PROFILES:
        raise InputError(f"--profile {profile!r}", allowed=", ".join(PROFILES))
    if trials is not None and trials < 1:
        raise InputError(f"--trials {trials}", allowed="an integer of at least 1")
    if resume and out is None:
        raise InputError("--resume without --out", allowed="--out DIR, the folder of the table that is gone on with")
    Limits(seconds=max_seconds)  # a bad number is refused here
    check_target(json, None)
    if out is not None:
        check_folder(out)
    jobs = number_of_jobs(jobs)
    memory = share_of_machine() if max_memory is None else gigabytes(max_memory)
    found = find_library(library)
    session = LibrarySession(
        library=found.name,
        version=found.version(),
        profile=chosen,
        only=only,
        seed=seed,
        trials=trials,
    )

    def seen(item: Record, done: int, total: int) -> None:
        if not quiet:
            sys.stderr.write(f"{done}/{total} {word_of(item):<12} {item['seconds']:6.1f} s {item['id']}\n")

    with prints_to_stderr():
        if show:
            told = [f"{each.id}: {each.guarantee.text()}" for each in session.chosen()]
        else:
            kept = None if out is None else out / f"{found.name}.jsonl"
            table = run(session, jobs=jobs, memory=memory, kept=kept, resume=resume, max_seconds=max_seconds, seen=seen)
    if show:
        typer.echo("\n".join(told))
        raise typer.Exit(0)
    records, tell = list(table.records), Telling(quotes=True)
    if out is not None:
        write_table(table, out)
        tell("the table in Markdown", lambda: write_atomically(out / f"{found.name}.md", markdown(table)), None)
    if emit(json, dump(records), tell=tell) and not quiet:
        typer.echo(tell("the table", partial(text, table), ""))
        typer.echo(f"\n{taken(table)}" + (f"; written: {out / found.name}.md, .json" if out is not None else ""))
    warn(tell.faults)
    raise typer.Exit(exit_status(words_of(records)))


def _installed(name: str) -> str:
    """The installed version, or how to install it."""
    from dpverify.adapters.libraries import find_library

    try:
        return find_library(name).version()
    except InputError as problem:
        return f"not installed: {problem.remedy}"
