"""The history of a store for people: its runs in a table, and how a claim's bound moved; fits 80 columns.

Changes between two runs, as lines and as plain values.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from dpverify.core.printable import all_visible, visible
from dpverify.core.record import Record
from dpverify.reporting.formatting import VERDICTS, count, draws, number, number_down
from dpverify.reporting.name_table import name_table
from dpverify.reporting.terminal import STYLE
from dpverify.runner.compare import KINDS, Change
from dpverify.runner.history import AT_WORK, INTERRUPTED, ClaimResult, History, PastRun

HEIGHTS = "▁▂▃▄▅▆▇█"
"""Signs for a bound as a fraction of the claim, in eighths; `BEYOND` above the claim, `NONE` without a bound."""

BEYOND, NONE = "!", "·"
LONGEST, PROFILE = 70, 9

WORDS = ("begun", "profile", "state", "verdict", "code")
"""Heads of columns of words."""


def history_tables(found: History, console: Console) -> None:
    """The runs, then each claim with its results."""
    heads = ("suite", "run", "begun", "profile", "seed", "state", "rows", "ref.", "surp.", "s", "code")
    rows = [[Text(visible(cell)) for cell in _cells(run)] for run in found.runs]
    name_table(heads, rows, console, words=WORDS, least=len("suite"))
    for run in found.runs:
        if run.state == INTERRUPTED:
            console.print(Text(f"Run {run.number} was interrupted: --resume goes on with it."))
        elif run.state == AT_WORK:
            console.print(Text(f"Run {run.number} is at work."))
    for id, points in found.claims.items():
        console.print()
        _claim(id, points, console)


def history_faults(found: History) -> list[str]:
    """A line for each row whose checksum differs, and one for rows without a checksum."""
    lines = [visible(line) for line in found.faults]
    if found.unchecked:
        lines.append(f"{found.unchecked} rows have no checksum: a dpverify from before checksums wrote them")
    return lines


def _cells(run: PastRun) -> tuple[str, ...]:
    state = "open" if run.state in (AT_WORK, INTERRUPTED) else run.state
    return (
        run.suite,
        str(run.number),
        _minute(run.begun),
        visible(str(run.words.get("profile", "-")))[:PROFILE],
        str(run.words.get("seed", "-")),
        state,
        str(run.claims),
        str(run.refuted),
        str(run.surprises),
        f"{run.seconds:.0f}" if run.seconds >= 10 else f"{run.seconds:.1f}",
        run.code[:6],
    )


def _claim(id: str, points: Sequence[ClaimResult], console: Console) -> None:
    last = all_visible(points[-1].record)
    console.print(Text(f"{visible(id)}: {last['measure']} of {last['guarantee']}", style="bold"))
    rows = []
    for point in points:
        item = all_visible(point.record)
        confidence = item["confidence"]
        cells = [
            ("≥" if item["bound"] is not None else "") + number_down(item["bound"]),
            number(item["claimed"], 3),
            f"1-{1 - confidence:.1g}" if confidence is not None else "law" if item["method"] else "-",
            count(draws(item)),
            str(item["seed"]),
            {None: "-", False: "same", True: "changed"}[point.changed],
        ]
        verdict = Text(VERDICTS[item["verdict"]], style=STYLE[item["verdict"]])
        rows.append([Text(str(point.run.number)), Text(_minute(point.run.begun)), verdict, *map(Text, cells)])
    heads = ("run", "begun", "verdict", "bound", "claimed", "sure", "trials", "seed", "code")
    name_table(heads, rows, console, words=WORDS)
    console.print(Text(f"Share of the claim: {heights([point.record for point in points])}"))


def heights(records: Sequence[Record]) -> str:
    """A sign for each run, the oldest first, that shows the bound between 0 and the claim."""
    signs = []
    for item in records[-LONGEST:]:
        share = item["tightness"]
        if share is None:
            signs.append(NONE)
        elif isinstance(share, str) or share > 1:
            signs.append(BEYOND)
        else:
            signs.append(HEIGHTS[min(len(HEIGHTS) - 1, max(0, int(share * len(HEIGHTS))))])
    return "".join(signs)


def history_values(found: History) -> dict[str, Any]:
    """The history as plain values, for ``--json``: the runs, and the claims' results without evidence."""
    kept = ("verdict", "method", "measure", "bound", "claimed", "confidence", "error", "trials", "seed", "seconds")
    return {
        "runs": [asdict(run) for run in found.runs],
        "faults": list(found.faults),
        "claims": {
            id: [
                {"run": point.run.number, "begun": point.run.begun, "code_changed": point.changed}
                | {name: point.record.get(name) for name in kept}
                for point in points
            ]
            for id, points in found.claims.items()
        },
    }


def _minute(time: str) -> str:
    """An ISO time to the minute, such as ``2026-11-22T08:30``."""
    return time[:16]


WIDTH = 80


def compare_lines(found: Sequence[Change], *, before: int, after: int) -> list[str]:
    """One line a change (longer ones are folded at 80 columns), then how many of each kind.

    `before`, `after`: claims in each of the runs.
    """
    lines = [line for change in found for line in _folded(change)]
    counted = Counter(change.kind for change in found)
    told = ", ".join(f"{counted[kind]} {kind}" for kind in KINDS if counted[kind]) or "no change"
    return [*lines, f"{before} claims before, {after} now: {told}."]


def compare_values(found: Sequence[Change]) -> list[dict[str, Any]]:
    """``{"id", "kind", "before", "after"}`` of each change."""
    return [{"id": change.id, "kind": change.kind, "before": change.before, "after": change.after} for change in found]


def _folded(change: Change) -> list[str]:
    sides = [VERDICTS.get(side, side) for side in (change.before, change.after)]
    told = " -> ".join(side for side in sides if side)
    text = visible(f"{change.kind:<9} {change.id}: {told}")
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * 10, break_long_words=False, break_on_hyphens=False)
