"""`dpverify compare`: what changed between two runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import check_target, say, show
from dpverify.core.errors import InputError, exit_status


def compare(
    before: Annotated[
        Path, typer.Argument(metavar="BEFORE", help="Reports of a run, its store, a record, or a folder of records.")
    ],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The same of a later run.")],
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="KINDS",
            help="Exit with 1 on changes of these kinds: refuted, vacuous, error, loosened, removed, weaker, verdict, "
            "bound, tightened, added; none: on no change.",
        ),
    ] = "refuted,vacuous,loosened,removed,weaker",
    json: Json = None,
) -> None:
    """Show which verdicts, bounds and claims changed between two runs.

    A claim is loosened when it promises less, or cannot be compared. A bound moved when it moved further than chance
    moves it; the range above a bound is an estimate. What --only left out of the later run is not removed. Records
    that contradict themselves (`dpverify recheck`) are refused with exit status 1.
    """
    from functools import partial

    from dpverify.core.plugins import registry
    from dpverify.core.printable import visible
    from dpverify.definitions.grammar import parse_guarantee
    from dpverify.reporting.checked_records import require_agreement
    from dpverify.reporting.facts import only_of_run
    from dpverify.reporting.history_lines import compare_lines, compare_values
    from dpverify.reporting.read_records import read_records
    from dpverify.runner.compare import KINDS, changes

    asked = [] if fail_on.strip() == "none" else [kind.strip() for kind in fail_on.split(",")]
    if unknown := [kind for kind in asked if kind not in KINDS]:
        raise InputError(
            f"--fail-on {unknown[0]!r}", allowed=", ".join((*KINDS, "none")), remedy="none: no change is to fail"
        )
    check_target(json)
    runs = [read_records(path) for path in (before, after)]
    for path, rows in zip((before, after), runs, strict=True):
        require_agreement(rows, path)
    only = only_of_run(after)
    read = partial(parse_guarantee, definitions=registry().definitions.mapping())
    found = changes(*runs, read=read, only=only)
    lines = [*compare_lines(found, before=len(runs[0]), after=len(runs[1]))]
    if only != "*":
        lines += [f"The later run is of claims that match {visible(only)!r} (--only); no other counts as removed."]
    show(json, compare_values(found), lines)
    failing = sum(change.kind in asked for change in found)
    if failing:
        say(f"{failing} of {len(found)} changes fail (--fail-on {','.join(asked)})")
    raise typer.Exit(exit_status(["worse"] if failing else []))
