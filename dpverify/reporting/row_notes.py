"""What to know of a row beside its numbers: what was assumed, spent and left out; the same in every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.core.note import Kind, Note, note_of
from dpverify.core.record import Record

NOBODY_LOOKED = (
    "Every audit by draws assumes that calls are independent: the program keeps nothing from one to the next.",
    "Nobody looked at running time, memory, the lowest bits of numbers (unless the method floating-point is named), "
    "other releases of the same data, or what happens outside of the audited function.",
)
"""What holds of all rows of a report."""

LABELLED = {Kind.ASSUMED, Kind.DRAWS, Kind.REACH, Kind.STEPS, Kind.NOISE, Kind.RAISED, Kind.WEAK, Kind.LEFT}
LABELLED |= {Kind.CONTRADICTED, Kind.ABOVE, Kind.UNPROVED, Kind.SHRINK, Kind.OUTSIDE, Kind.UNTRIED, Kind.NOT_TOLD}
"""Notes that are shown under a label of their own."""


def row_notes(item: Record, notes: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """Labels and texts, in the record's order; those that stand in the row's reason already are left out.

    `notes` are used instead of the record's where they are given.
    """
    found = []
    reason = item.get("reason") or ""
    for line in item.get("notes") or () if notes is None else notes:
        note = note_of(line)
        overtaken = item.get("verdict") == "refuted" and note.kind is Kind.REACH
        if not (reason and line in reason) and not overtaken:
            found.append((note.label, note.text) if note.kind in LABELLED else ("note", line))
    return found


def limiting_notes(records: Sequence[Record]) -> list[tuple[Note, list[str]]]:
    """Return the notes that no reader of a whole run should miss: claims that fall outside of their examples,
    assumptions, data that raised, weak passes; with the rows' names.

    Rows of which the same is to be said stand together.
    """
    found: dict[Note, list[str]] = {}
    for item in records:
        if line := outside_line(item):
            found.setdefault(Note(Kind.OUTSIDE, line), []).append(item["id"])
        for label, text in row_notes(item):
            if label in ("assumed", "raised", "weak", Kind.CONTRADICTED):
                found.setdefault(Note(Kind(label), text), []).append(item["id"])
    return [(note, list(dict.fromkeys(ids))) for note, ids in found.items()]


def named(rows: Sequence[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    return ", ".join(rows[:most]) + (f" and {len(rows) - most} more" if len(rows) > most else "")


def outside(item: Record) -> Mapping[str, Any]:
    """The evidence outside; empty where the claim does not fall there."""
    evidence = item.get("evidence")
    statistics: Any = evidence[0].get("statistics") if evidence else None
    found = statistics.get("outside") if isinstance(statistics, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def outside_line(item: Record) -> str:
    """``false unless records lie in [0, 1]: clip, or state --bounds``; empty where nothing is to be said."""
    return str(outside(item).get("line") or "")
