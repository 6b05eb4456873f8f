"""What a person sees while an audit runs, and the closing table; fits 80 columns. Plain lines when not a terminal."""

from __future__ import annotations

import textwrap
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from dpverify.reporting.labelled import WIDTH, labelled
from dpverify.reporting.limits_table import limits_table
from dpverify.reporting.row_lines import row_lines
from dpverify.reporting.sequential_lines import sequential_lines
from dpverify.reporting.transcript_lines import within_family
from dpverify.reporting.words import (
    VERDICTS,
    claimed_at,
    count,
    draws,
    limits,
    number,
    relation_legend,
    short_relation,
    sureness,
    tally,
)
from dpverify.runner.plan import Unit
from dpverify.runner.row import Row

STYLE = {
    "refuted": "bold red",
    "certified": "bold green",
    "not_refuted": "blue",
    "inconclusive": "yellow",
    "unsupported": "dim",
    "error": "bold magenta",
}
PLAIN_EVERY = 10.0  # seconds between lines when there is no terminal


class Watch:
    """Progress of a run on standard error: a bar with what is being audited, or a plain line now and then."""

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True)
        self._bars = self._console.is_terminal and not quiet
        self._quiet = quiet
        self._total, self._done, self._last = total, 0, time.monotonic()
        self._running: dict[str, str] = {}
        self._lock = threading.Lock()
        self._progress = Progress(
            SpinnerColumn(),
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
            console=self._console,
            transient=True,
            disable=not self._bars,
        )
        self._bar = self._progress.add_task("", total=total)

    def __enter__(self) -> Watch:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def start(self, unit: Unit) -> None:
        """A unit begins."""
        self._say(unit.entry.claim.id, "")

    def step(self, unit: Unit, message: str, share: float) -> None:
        """A unit goes on."""
        self._say(unit.entry.claim.id, f"{message} {share:.0%}")

    def finish(self, unit: Unit, row: Row) -> None:
        """A unit is done."""
        with self._lock:
            self._running.pop(unit.entry.claim.id, None)
            self._done += 1
            self._progress.update(self._bar, completed=self._done)
            now = time.monotonic()
            if not self._bars and not self._quiet and (now - self._last > PLAIN_EVERY or self._done == self._total):
                self._last = now
                self._console.print(f"{self._done}/{self._total} audited; last {row.id}: {row.verdict.status}")

    def _say(self, name: str, message: str) -> None:
        with self._lock:
            self._running[name] = message
            text = " | ".join(f"{key} {value}".strip() for key, value in self._running.items())
            self._progress.update(self._bar, description=text[:90])


def closing_table(records: Sequence[Mapping[str, Any]], console: Console) -> None:
    """The table of a run: claim, relation, claimed, measured lower bound, tightness, verdict, trials, seconds."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("claim", overflow="fold", ratio=1)
    table.add_column("rel.", overflow="fold", max_width=10)
    for name in ("claimed", "measured", "tight"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("trials", justify="right", no_wrap=True)
    table.add_column("s", justify="right", no_wrap=True)
    for item in records:
        verdict = Text(VERDICTS[item["verdict"]] + (" !" if item["surprise"] else ""), style=STYLE[item["verdict"]])
        table.add_row(
            item["id"],
            short_relation(item["relation"]),
            number(item["claimed"], 3),
            ("≥" if item["bound"] is not None else "") + number(item["bound"]),
            number(item["tightness"], 2),
            verdict,
            count(draws(item)),
            f"{item['seconds']:.1f}",
        )
    console.print(table)
    console.print(
        f"\nRelations: {relation_legend(records)}. Trials: draws a side, "
        "beside an exact method too; a dash: nothing drawn.",
        highlight=False,
    )
    limits_table(records, console)
    console.print(f"{len(records)} claims: {tally(records)}.", highlight=False)
    for item in records:
        for line in labelled("family", within_family(item) and f"{item['id']}: {within_family(item)}"):
            console.print(line, highlight=False, markup=False)
    for item in records:
        if item["surprise"]:
            console.print(f"! {item['id']}: {item['surprise']}", style="bold red", markup=False, highlight=False)
        if item["verdict"] == "error":
            console.print(f"! {item['id']}: {item['reason']}", style="bold magenta", markup=False, highlight=False)


def one_result(item: Mapping[str, Any], console: Console, *, notes: Sequence[str] = ()) -> None:
    """One audit, as `dpverify audit` tells it."""
    verdict = VERDICTS[item["verdict"]]
    title = f"{verdict}: {item['guarantee']} of {item['subject']} under {item['relation']}"
    told = Text("\n".join(textwrap.wrap(title, WIDTH, subsequent_indent="  ", break_on_hyphens=False)))
    told.stylize(STYLE[item["verdict"]], 0, len(verdict))
    console.print(told)
    lines = _measured(item) if item["method"] else []
    for note in [*notes, *([item["reason"]] if item["reason"] else [])]:
        lines += labelled("note", note)
    for line in lines:
        console.print(line, highlight=False, markup=False)


def _measured(item: Mapping[str, Any]) -> list[str]:
    sides = f"{count(item['trials'])} trials a side" if item["trials"] else "by an exact method"
    estimate, witness = item["estimate"], item["witness"] or {}
    return [
        *labelled(
            "measured",
            f"{item['measure']} >= {number(item['bound'], 5)}, claimed {number(item['claimed'], 5)}{claimed_at(item)}",
        ),
        *labelled("reached", reached(item)),
        *labelled("sure", f"{sureness(item)}, {sides}, {item['seconds']:.1f} s"),
        *labelled("estimate", "" if estimate is None else f"{number(estimate, 4)} (a point estimate: no bound)"),
        *labelled("limits", limits(item)),
        *sequential_lines(item),
        *labelled("event", str(witness.get("event") or "")),
        *labelled("means", str(witness.get("refutes") or "")),
    ]


def reached(item: Mapping[str, Any]) -> str:
    """``97.9 % of the claim``: the bound over the claimed value; empty where that is no finite share."""
    share = item["tightness"]
    return "" if share is None or isinstance(share, str) else f"{100 * share:.3g} % of the claim"


def ledger_table(records: Sequence[Mapping[str, Any]], console: Console) -> None:
    """The ledger: id, source, relation, verdict, margin."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("id", overflow="fold", ratio=1)
    table.add_column("source", overflow="ellipsis", no_wrap=True, max_width=16)
    table.add_column("verdict", no_wrap=True, min_width=12)
    table.add_column("claimed", justify="right", no_wrap=True, min_width=8)
    table.add_column("found", justify="right", no_wrap=True, min_width=9)
    table.add_column("method", no_wrap=True, min_width=6, max_width=6)
    for item in records:
        table.add_row(
            item["id"],
            item["source"],
            Text(VERDICTS[item["verdict"]], style=STYLE[item["verdict"]]),
            number(item["claimed"], 3),
            ("≥" if item["bound"] is not None else "") + number(item["bound"], 3),
            item["method"] or "-",
        )
    console.print(table)
    console.print(f"\n{len(records)} rows: {tally(records)}.", highlight=False)


def ledger_detail(records: Sequence[Mapping[str, Any]], console: Console) -> None:
    """One row whole (with its readings): the claim, the verdict, the witness and how to see it again."""
    for item in records:
        console.print(f"{item['id']}  {item['source']}  ({item['relation']})", style="bold", highlight=False)
        console.print(f"  {item['statement']}", highlight=False, markup=False)
        if item["guarantee"]:
            one_result(item, console)
        for line in row_lines(item):
            console.print(line, highlight=False, markup=False)
        console.print(f"  again     {item['reproduce']}\n", highlight=False, markup=False)
