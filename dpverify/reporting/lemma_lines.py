"""A lemma's row in words: the margin at the claim's own numbers, the worst, the smallest, and where it fails.

Reads the statistics that a search over a lemma's parameters leaves in a record (``own``, ``worst``, ``smallest``,
``map``, ``described``); rows without them have no lines. Plain text of at most `WIDTH` columns, two of indent included.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.reporting.words import number

WIDTH = 79
_HANG = " " * 12


def lemma_lines(item: Mapping[str, Any]) -> list[str]:
    """Lines for a record whose leading evidence is such a search; none for any other."""
    statistics = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"own", "worst", "map"} <= statistics.keys():
        return []
    fixed = {name: value for name, value in item["parameters"].items() if name not in statistics["map"]}
    found = [
        *_wrapped("fixed", _pairs(fixed)),
        *_wrapped("own", _point(statistics["own"])),
        *(_wrapped("worst", _point(statistics["worst"])) if statistics["map"] else ()),
    ]
    if statistics["smallest"] and statistics["map"]:
        found += _wrapped("smallest", _point(statistics["smallest"]))
    if statistics["map"]:
        found += _wrapped(
            "points", f"{statistics['evaluations']} looked at, the bound failed at {statistics['failed']}"
        )
    for name, parts in statistics["map"].items() if statistics["failed"] else ():
        found += _wrapped("fails in", f"{name} {', '.join(_ranges(parts))}")
    for name, value in statistics.get("described", {}).items():
        found += _described(name, value)
    return found


def _wrapped(label: str, text: str) -> list[str]:
    if not text:
        return []
    return textwrap.wrap(text, WIDTH, initial_indent=f"  {label:<9} ", subsequent_indent=_HANG, break_on_hyphens=False)


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(_value(each) for each in value)}]"
    return str(value) if isinstance(value, int) else number(value, 5)


def _point(seen: Mapping[str, Any]) -> str:
    place = _pairs(seen["parameters"])
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
        return _wrapped("beside", f"{name}: {_pairs(value)}")
    if not isinstance(value, Sequence) or isinstance(value, str) or not value or not isinstance(value[0], Mapping):
        return _wrapped("beside", f"{name}: {_value(value)}")
    heads = list(value[0])
    rows = [heads, *([_value(row.get(head)) for head in heads] for row in value)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    if sum(widths) + 2 * len(widths) + len(_HANG) > WIDTH:
        return [
            *_wrapped("beside", f"{name}:"),
            *(line for row in value for line in _wrapped("", f"- {_pairs(row)}")),
        ]
    table = (_HANG + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [*_wrapped("beside", f"{name}:"), *table]
