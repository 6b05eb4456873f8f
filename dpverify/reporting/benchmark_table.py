"""The table of a benchmark suite: bounds and times beside the best published ones.

Only rows whose record has ``published`` are shown. A published bound counts as met if the bound is at least the stated
target or, without one, the published bound. Published bounds were rounded to three or four digits, so the bound is
rounded likewise. Notes are computed from the record: the best event, its counts, and the reason for a shortfall.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dpverify.core.record import Record, as_number
from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.outcome import for_people
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper

HEADINGS = ("claim", "true", "ours, at least", "best published", "tool", "s ours", "s theirs", "met")


COUNTED = frozenset({"k1", "n1", "k2", "n2", "alpha"})
"""Statistics of one counted event; other methods have others."""


def with_published_bound(records: Iterable[Record]) -> list[Record]:
    """The records with a published bound."""
    return [item for item in records if item.get("published")]


def meets_published(item: Record) -> bool:
    """Tell whether the row's bound is at least the target, or, rounded alike, the published bound."""
    bound = item["bound"]
    if bound is None:
        return False
    due, published = item["published"]["due"], item["published"]["bound"]
    if due != published:
        return bool(float(bound) >= due)
    digits = len(str(published).partition(".")[2])
    return bool(round(float(bound), digits) >= published if math.isfinite(float(bound)) else float(bound) > 0)


def cells(item: Record) -> list[str]:
    """The cells of one row, in the order of `HEADINGS`."""
    theirs = item["published"]
    due = f" (due {number(theirs['due'])})" if theirs["due"] != theirs["bound"] else ""
    return [
        item["id"],
        number(theirs["truth"]),
        number_down(item["bound"]),
        number(theirs["bound"]) + due,
        theirs["tool"],
        f"{item['seconds']:.1f}",
        f"{theirs['seconds']:.0f}",
        "yes" if meets_published(item) else "no",
    ]


def totals(records: Sequence[Record]) -> str:
    """One line: the number of bounds that are met, and the seconds on both sides."""
    ours = sum(item["seconds"] for item in records)
    theirs = sum(item["published"]["seconds"] for item in records)
    reached = sum(meets_published(item) for item in records)
    sure = {item["confidence"] for item in records if item["confidence"] is not None}
    each = f" at {number(min(sure), 3)} confidence each" if sure else ""
    return (
        f"{reached} of {len(records)} bounds at or above what is due{each}; {ours:.0f} s of work here, {theirs:.0f} s "
        "for the best published bounds (their search alone, on their machines)."
    )


def notes(records: Iterable[Record]) -> list[str]:
    """A note for each row that is not met, met by rounding only, or has a bound above the truth."""
    lines = []
    for item in records:
        truth = item["published"]["truth"]
        if truth is not None and item["bound"] is not None and as_number(item["bound"]) > as_number(truth):
            lines.append(f"{item['id']}: the bound is above the truth, as one in ten may be at 90 % confidence.")
        if not meets_published(item):
            lines.append(f"{item['id']}: {_shortfall(item)}")
        elif as_number(item["bound"]) < float(item["published"]["due"]):
            rounded = f"{number(item['published']['due'])} once it is rounded as the published bounds are"
            lines.append(f"{item['id']}: {number_down(item['bound'])} is the {rounded}.")
    return lines


def _shortfall(item: Record) -> str:
    seen = next((one["statistics"] for one in item["evidence"] if one["statistics"].keys() >= COUNTED), None)
    if seen is None:
        return item.get("reason") or "the record has no counts of an event that say why."
    p, q = seen["k1"] / seen["n1"], seen["k2"] / seen["n2"]
    plug_in = math.log(p / q) if q > 0 and p > 0 else math.inf
    most, due = _most(seen), item["published"]["due"]
    found = f"best event found: {(item['witness'] or {}).get('event', '-')}, of probability {p:.3g} against {q:.3g}"
    if plug_in >= due:
        ratio = f"log-ratio {number(plug_in)}, enough"
        return f"{found} ({ratio}): {seen['n1']:.3g} draws a side are too few to bound it that closely."
    ratio = f"log-ratio {number(plug_in)}, at most {number(most)} at {number(1 - seen['alpha'], 3)} confidence"
    if most >= due:
        return f"{found} ({ratio}): it may be enough, and {seen['n1']:.3g} draws a side cannot say."
    pairs = f" on {seen['pairs_screened']} pairs" if "pairs_screened" in seen else ""
    return f"{found} ({ratio}, too little): no better event was found{pairs}."


def _most(seen: Mapping[str, Any]) -> float:
    """Upper confidence limit of the event's log-ratio: Clopper-Pearson limits of both, at half the error each."""
    half = 0.5 * seen["alpha"]
    p = float(clopper_pearson_upper(seen["k1"], seen["n1"], alpha=half))
    q = float(clopper_pearson_lower(seen["k2"], seen["n2"], alpha=half))
    return math.log(p / q) if q > 0 else math.inf


def benchmark_table(records: Iterable[Record], console: Console) -> None:
    """Print the table; nothing where no row has a published bound. Fits 80 columns."""
    shown = [for_people(item) for item in with_published_bound(records)]
    if not shown:
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("claim", overflow="ellipsis", no_wrap=True, max_width=22)
    for name in ("true", "ours", "published"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("tool", overflow="ellipsis", no_wrap=True, max_width=9)
    for name in ("s", "s theirs"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("met", no_wrap=True)
    for item in shown:
        row = cells(item)
        table.add_row(*map(Text, [*row[:3], number(item["published"]["due"]), *row[4:]]))
    console.print()
    console.print(table)
    for line in [totals(shown), *notes(shown)]:
        console.print(Text(line))
