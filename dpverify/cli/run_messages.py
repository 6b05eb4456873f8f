"""Messages of `dpverify run`: at the end, and on how to resume."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from dpverify.cli.output import emit_records, print_verdicts, resume_command, warn, write_reports
from dpverify.core.errors import INTERRUPTED
from dpverify.core.record import Record
from dpverify.core.verdict import Status

if TYPE_CHECKING:
    from dpverify.core.note import Telling
    from dpverify.core.record import Writer
    from dpverify.runner.plan import Plan
    from dpverify.runner.row import Row


def report_run(
    records: list[Record],
    *,
    title: str,
    begun: float,
    writers: Sequence[Writer],
    out: Path,
    quiet: bool,
    json: str | None,
    only: str,
    plan: Plan | None = None,
    per_row: bool = False,
    saved: Sequence[Path] = (),
    tell: Telling | None = None,
) -> None:
    """Give out the records, then print, then write the reports; a fault in what people read is a warning at the end.

    `plan` is that of a built-in suite; `per_row`, whether its confidence is that of each row.
    """
    from dpverify.core.note import Telling
    from dpverify.reporting.facts import reports_of, run_until_now
    from dpverify.reporting.github_job import show_in_job

    tell = tell or Telling(quotes=True)
    prints = emit_records(json, records, quiet=quiet, tell=tell) and not quiet
    if prints:
        print_at_the_end(records, plan, per_row=per_row, saved=saved, tell=tell)
    with reports_of(run_until_now(begun, only=only)):
        written = write_reports(writers, records, out, title=title, tell=tell)
    if prints:
        typer.echo(f"{time.perf_counter() - begun:.1f} s; reports: {', '.join(written) or 'none'}")
    tell("the annotations of the job", partial(show_in_job, records, title=title), None)
    warn(tell.faults)


def print_at_the_end(
    records: list[Record], plan: Plan | None, *, per_row: bool, saved: Sequence[Path], tell: Telling
) -> None:
    """Print the tables, the false-alarm probability, and the results of saved failures."""
    from dpverify.reporting.benchmark_table import benchmark_table
    from dpverify.reporting.formatting import false_alarms
    from dpverify.reporting.terminal import closing_table

    console = Console()
    before = len(tell.faults)
    tell("the closing table", partial(closing_table, records, console), None)
    if len(tell.faults) > before:
        print_verdicts(records)
    tell("the table of published bounds", partial(benchmark_table, records, console), None)
    if plan is not None and per_row:
        rate = plan.alpha * plan.statistical
        told = f"Confidence {plan.confidence:g} is each row's: up to {rate:.2g} bounds above the truth are expected."
    else:
        told = tell("the false-alarm rate", partial(false_alarms, records), "")  # the same sentence as in every report
    if told:
        console.print(told, highlight=False)
    if plan is not None and plan.regressions is not None:
        replays = tell("the number of replayed failures", partial(_replays, records), "")
        told = f"Regressions in {plan.regressions}: {replays}; {len(saved)} saved now."
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
        raise typer.Exit(INTERRUPTED) from None


def _replays(records: Sequence[Record]) -> str:
    """Count the saved failures that were replayed, and those that still refute."""
    told = [each for item in records for one in item["evidence"] for each in one["statistics"].get("replayed", ())]
    refuted = sum(each["says"] == "refuted" for each in told)
    unfit = sum(each["says"] not in {*Status} for each in told)  # a verdict, or why there is none
    return f"{len(told)} replayed, {refuted} still refute" + (f", {unfit} cannot be replayed" if unfit else "")
