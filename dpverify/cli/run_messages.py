"""Messages of `dpverify run`: before a steered run, at the end, and on how to resume."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from dpverify.cli.output import resume_command

if TYPE_CHECKING:
    from dpverify.runner.plan import Plan
    from dpverify.runner.row import Row


def print_before_steering(plan: Plan, total: int) -> str:
    """Print the numbers that are fixed before the first draw."""
    return (
        f"Steering {plan.statistical} audits of the plan, {len(plan.units)} claims in this run, {total} draws in all: "
        f"false-alarm probability {plan.alpha:.2g} each, whatever the steering.\n"
    )


def print_at_the_end(records: list[dict[str, Any]], plan: Plan, *, per_row: bool, saved: Sequence[Path]) -> None:
    """Print the tables, the false-alarm probability, and the results of saved failures."""
    from dpverify.reporting.benchmark_table import benchmark_table
    from dpverify.reporting.formatting import false_alarms
    from dpverify.reporting.steer_table import steer_table
    from dpverify.reporting.terminal import closing_table

    console = Console()
    closing_table(records, console)
    steer_table(records, console)
    benchmark_table(records, console)
    rate = plan.alpha * plan.statistical
    if per_row:
        told = f"Confidence {plan.confidence:g} is each row's: up to {rate:.2g} bounds above the truth are expected."
    else:
        told = false_alarms(records)  # the same sentence as in every report
    if told:
        console.print(told, highlight=False)
    if plan.regressions is not None:
        told = f"Regressions in {plan.regressions}: {_replays(records)}; {len(saved)} saved now."
        console.print(told, highlight=False)


def unfinished_text(rows: Sequence[Row]) -> str:
    """A line on the unfinished claims and the command that continues the run; empty for a complete run."""
    cut = [row.cut for row in rows if row.cut]
    if not cut:
        return ""
    return f"Stopped, {cut[0]}: {len(cut)} of {len(rows)} claims are left; go on with: {resume_command()}\n"


@contextmanager
def say_how_to_resume() -> Iterator[None]:
    """After Ctrl-C between audits, print the command that continues the run from the store."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write(f"Stopped, interrupted; finished work is kept; go on with: {resume_command()}\n")
        raise typer.Exit(130) from None


def _replays(records: Sequence[dict[str, Any]]) -> str:
    """Count the saved failures that were replayed, and those that still refute."""
    told = [each for item in records for one in item["evidence"] for each in one["statistics"].get("replayed", ())]
    refuted = sum(each["says"] == "refuted" for each in told)
    unfit = sum(each["says"].startswith("cannot") for each in told)
    return f"{len(told)} replayed, {refuted} still refute" + (f", {unfit} cannot be replayed" if unfit else "")
