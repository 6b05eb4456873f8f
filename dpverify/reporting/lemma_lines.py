"""A lemma's row in words: the margin at the claim's own numbers, the worst, the smallest, and where it fails.

Reads the statistics that a search over a lemma's parameters leaves in a record (``own``, ``worst``, ``smallest``,
``map``, ``described``); rows without them have no lines. Plain text of at most `WIDTH` columns, two of indent included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.reporting.labelled import HANG, WIDTH, labelled, pairs, worded
from dpverify.reporting.words import number


def lemma_lines(item: Mapping[str, Any]) -> list[str]:
    """Lines for a record whose leading evidence is such a search; none for any other."""
    statistics = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"own", "worst", "map"} <= statistics.keys():
        return []
    fixed = {name: value for name, value in item["parameters"].items() if name not in statistics["map"]}
    found = [
        *labelled("fixed", pairs(fixed)),
        *labelled("own", _point(statistics["own"])),
        *(labelled("worst", _point(statistics["worst"])) if statistics["map"] else ()),
    ]
    if statistics["smallest"] and statistics["map"]:
        found += labelled("smallest", _point(statistics["smallest"]))
    if statistics["map"]:
        found += labelled(
            "points", f"{statistics['evaluations']} looked at, the bound failed at {statistics['failed']}"
        )
    for name, parts in statistics["map"].items() if statistics["failed"] else ():
        found += labelled("fails in", f"{name} {', '.join(_ranges(parts))}")
    for name, value in statistics.get("described", {}).items():
        found += _described(name, value)
    return found


def _point(seen: Mapping[str, Any]) -> str:
    place = pairs(seen["parameters"])
    sides = f"printed {number(seen['printed'], 5)}, true {number(seen['truth'], 5)}"
    return f"ratio {number(seen['ratio'], 5)} ({sides}){' at ' + place if place else ''}"


def _ranges(parts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Neighbouring parts of a range in which some point failed, joined."""
    start = None
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        if part["failed"] and start is None:
            start = part["from"]
        if part["failed"] and (after is None or not after["failed"]):
            yield f"[{number(start)}, {number(part['to'])}]"
            start = None


def _described(name: str, value: Any) -> list[str]:
    """A number, a mapping, or a list of mappings as a table (as lines where it is too wide)."""
    if isinstance(value, Mapping):
        return labelled("beside", f"{name}: {pairs(value)}")
    if not isinstance(value, Sequence) or isinstance(value, str) or not value or not isinstance(value[0], Mapping):
        return labelled("beside", f"{name}: {worded(value)}")
    heads = list(value[0])
    rows = [heads, *([worded(row.get(head)) for head in heads] for row in value)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    if sum(widths) + 2 * len(widths) + len(HANG) > WIDTH:
        return [
            *labelled("beside", f"{name}:"),
            *(line for row in value for line in labelled("", f"- {pairs(row)}")),
        ]
    table = (HANG + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [*labelled("beside", f"{name}:"), *table]
