"""A search's result in words: the ratio at the stated parameters, the simplest and the worst witness, and the map.

The lines are the same for every auditor (`dpverify.reporting.findings`). Lines of a single auditor follow: the sizes of
an exact search, and the description of a lemma. Plain text of at most `WIDTH` columns, including an indent of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.findings import Findings, PointResult, RangePart, findings
from dpverify.reporting.formatting import number, number_down, witness_parameter
from dpverify.reporting.labelled_lines import HANG, WIDTH, labelled, pairs, value_text

FAILED, HELD, UNSEEN = "#", ".", " "
"""Signs of a map: in this part of the range some point failed, none failed, or none was evaluated."""


def finding_lines(item: Record) -> list[str]:
    """Lines for a record whose leading evidence is a search; none for others."""
    statistics = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"own", "worst", "map"} <= statistics.keys():
        return []
    found = findings(item)
    fixed = {name: value for name, value in item["parameters"].items() if name not in _boxes(item)}
    below = statistics.get("largest_ratio_below")
    rest = "" if below is None else f"; nothing smaller was seen to fail (largest ratio {number(below)})"
    return [
        *labelled("fixed", pairs(fixed)),
        *labelled("stated", place_text(found.stated)),
        *labelled("smallest", f"{place_text(found.smallest)}{rest}" if found.smallest else ""),
        *labelled("worst", f"{place_text(found.worst)}{_beside(found, statistics)}" if _elsewhere(item) else ""),
        *labelled("claimed", _claimed(item)),
        *labelled("looked", _looked(found)),
        *_map(found),
        *_by_size(item, statistics.get("by_size") or ()),
        *(line for name, value in statistics.get("described", {}).items() for line in _described(name, value)),
    ]


def place_text(place: PointResult | None) -> str:
    """Text such as ``holds, ratio 0.71 (claimed 0.57, found 0.407) at epsilon = 0.57``; empty for None."""
    if place is None:
        return ""
    sides = f"claimed {number(place.claimed, 5)}, found {number_down(place.value, 5)}"
    measured = f"{place.measure}: " if place.measure else ""
    where = pairs({**({"size": place.size} if place.size is not None else {}), **place.parameters})
    sure = ", proved" if place.proved and place.exceeded else ""
    told = f"{'FAILS' if place.exceeded else 'holds'}, ratio {number(place.ratio)} ({measured}{sides}{sure})"
    return f"{told} at {where}" if where else told


def bar(parts: Sequence[RangePart]) -> str:
    """A sign for each part of a map."""
    return "".join(FAILED if part.failed else HELD if part.points else UNSEEN for part in parts)


def ranges(parts: Sequence[RangePart]) -> Iterator[str]:
    """Neighbouring parts of a range in which some point failed, joined."""
    start = None
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        if part.failed and start is None:
            start = part.low
        if part.failed and (after is None or not after.failed):
            yield f"[{number(start)}, {number(part.high)}]" if start != part.high else number(start)
            start = None


def _boxes(item: Record) -> Mapping[str, Any]:
    return item["space"].get("parameters") or {}


def _elsewhere(item: Record) -> bool:
    """Tell whether the search covered more than the claim's stated parameters and size."""
    return bool(_boxes(item) or item["space"].get("sizes"))


def _beside(found: Findings, statistics: Mapping[str, Any]) -> str:
    """The largest ratio of the search, if the worst proved one is different."""
    seen = statistics.get("best_ratio")
    if seen is None or found.worst is None or number(seen) == number(found.worst.ratio):
        return ""
    return f"; the search saw {number(seen)}, estimated"


def _looked(found: Findings) -> str:
    if found.looked is None:
        return ""
    beyond = f"; {found.uncomputed} more could not be computed" if found.uncomputed else ""
    return f"at {found.looked} points; the claim failed at {found.failed or 'none'}{beyond}"


def _map(found: Findings) -> list[str]:
    """A line for each parameter, and the legend of the signs."""
    shown = {name: parts for name, parts in found.map.items() if parts}
    if not shown or not found.failed:
        return []
    wide = max(map(len, shown))
    lines = []
    for name, parts in shown.items():
        text = f"{name.ljust(wide)}  {number(parts[0].low)} |{bar(parts)}| {number(parts[-1].high)}"
        fails = ", ".join(ranges(parts))
        lines.append((text, f"fails in {fails}" if fails else ""))
    legend = f"({FAILED} some point failed, {HELD} none did, blank: not examined)"
    first = [line for place, (text, fails) in enumerate(lines) for line in _hung("" if place else "map", text, fails)]
    return [*first, *_hung("", legend)]


def _hung(label: str, text: str, fails: str = "") -> list[str]:
    """Like `labelled`, but keeps the blanks of a map."""
    whole = f"{text}  {fails}" if fails else text
    if len(HANG) + len(whole) <= WIDTH:
        return [f"  {label:<9} {whole}"]
    return [f"  {label:<9} {text}", *labelled("", fails)]


def _claimed(item: Record) -> str:
    at = witness_parameter(item)
    if not at:
        return ""
    name = item["space"]["proportional"]
    return (
        f"{number(item['claimed'], 5)} is what the claim says{at}, the witness's; it is proportional to {name}, and "
        f"the guarantee is written at the claim's own {name} = {value_text(item['parameters'].get(name))}"
    )


def _by_size(item: Record, seen: Sequence[Mapping[str, Any]]) -> list[str]:
    if len(seen) < 2:
        return []
    rows = []
    for each in seen:
        place = pairs({name: value for name, value in each["parameters"].items() if name in _boxes(item)})
        outcome = "exceeded" if each["exceeded"] else "not exceeded"
        rows.append([str(each["size"]), number(each["ratio"]), each["measure"], place, outcome])
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    columns = (
        "  ".join(cell.ljust(width) if place > 1 else cell.rjust(width) for place, (cell, width) in cells).rstrip()
        for cells in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
    )
    return [*labelled("by size", "largest ratio found at each, estimated:"), *(HANG + line for line in columns)]


def _described(name: str, value: Any) -> list[str]:
    """A number, a mapping, or a list of mappings as a table (as lines where it is too wide)."""
    if isinstance(value, Mapping):
        return labelled("beside", f"{name}: {pairs(value)}")
    if not isinstance(value, Sequence) or isinstance(value, str) or not value or not isinstance(value[0], Mapping):
        return labelled("beside", f"{name}: {value_text(value)}")
    heads = list(value[0])
    rows = [heads, *([value_text(row.get(head)) for head in heads] for row in value)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    if sum(widths) + 2 * len(widths) + len(HANG) > WIDTH:
        return [
            *labelled("beside", f"{name}:"),
            *(line for row in value for line in labelled("", f"- {pairs(row)}")),
        ]
    table = (HANG + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [*labelled("beside", f"{name}:"), *table]
