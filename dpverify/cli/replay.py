"""`dpverify replay`: saved failures alone, audited again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.options import Json, Quiet, Seed, claim_option, search_option, subject_option
from dpverify.cli.output import check_target, prints_to_stderr, show
from dpverify.core.errors import InputError, exit_status

SHOWN = 4
"""Most names that an error lists."""


def replay(
    where: Annotated[
        Path,
        typer.Argument(metavar="DIR|FILE", help="Saved failures, or the reports, the store or a record of a run."),
    ] = Path(".dpverify/regressions"),
    only: Annotated[str, claim_option(metavar="GLOB", help="Only claims whose id matches.")] = "*",
    mechanism: Annotated[
        list[str] | None,
        subject_option(
            metavar="PACKAGE.MODULE:CALLABLE",
            help="Import this for failures that name it; no other name in a file is imported.",
        ),
    ] = None,
    command: Annotated[
        str | None,
        subject_option(metavar="TEXT", help="Run this program for failures that name it; no other is run."),
    ] = None,
    outputs: Annotated[str, subject_option(help="With --command: json, doubles, or doubles:K.")] = "json",
    seconds: Annotated[
        float, search_option(metavar="S", help="About so long the audit of one failure may take.")
    ] = 30.0,
    confidence: Annotated[float, search_option(help="One-sided, of all of them together.")] = 0.999,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Audit saved failures again, each on its own pair, and say which still fail.

    FAILED: refuted again, on new draws. FIXED: not refuted, and a violation as large as the recorded one would have
    been detected with 80 % power. "not seen": not refuted, and that says too little. Exits with 1 when one fails, and
    with 3 when one was not seen or could not be audited. What the suite file declares and built-in suites have is
    audited by its id. Of the rest, only what `--mechanism` and `--command` name is imported and run.
    """
    from fnmatch import fnmatchcase

    from dpverify.core.plugins import registry
    from dpverify.programs.command import Command
    from dpverify.runner.plan import check_confidence
    from dpverify.saved_failures.again import RetrySettings, saved_failures
    from dpverify.saved_failures.outcome import outcome_line, outcome_values, total_line
    from dpverify.suite_file.read import declared

    check_confidence(confidence)
    if not seconds > 0:
        raise InputError(f"--seconds {seconds:g}", allowed="a number above 0")
    check_target(json)
    saved = [each for each in saved_failures(where) if fnmatchcase(each.claim, only)]
    again = RetrySettings(
        known=registry(),
        declared=declared(),
        seconds=seconds,
        alpha=(1.0 - confidence) / max(1, len(saved)),
        seed=seed,
        mechanisms=frozenset(mechanism or ()),
        command=None if command is None else Command(command, outputs=outputs),
    )
    if unnamed := sorted({again.unnamed(each) for each in saved} - {""}):
        more = f" (and {len(unnamed) - SHOWN} more)" if len(unnamed) > SHOWN else ""
        raise InputError(
            f"{where} names what neither dpverify.toml declares nor the command line names",
            allowed="code that you name: a file alone has nothing imported or run",
            remedy=f"read it, and add {' '.join(unnamed[:SHOWN])}{more}, or leave it out: --only",
        )
    found = []
    with prints_to_stderr(bounded=True):
        for each in saved:
            found.append(again.outcome(each))  # noqa: PERF401 - each line as soon as it is known
    lines = [*map(outcome_line, found), total_line(found, where)]
    show(json, [outcome_values(each) for each in found], lines, quiet=quiet)
    raise typer.Exit(exit_status(each.says for each in found))
