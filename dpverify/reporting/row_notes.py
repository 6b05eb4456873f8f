"""What to know of a row beside its numbers: what was assumed, spent and left out; the same in every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.reporting.outside import outside_line

NOBODY_LOOKED = (
    "Every audit by draws assumes that calls are independent: the program keeps nothing from one to the next.",
    "Nobody looked at running time, memory, the lowest bits of numbers (unless the method floating-point is named), "
    "other releases of the same data, or what happens outside of the audited function.",
)
"""What holds of all rows of a report."""

LABELS = ("assumed", "draws", "steps", "noise", "raised", "weak", "left", "shrink", "outside", "untried", "not told")
"""Notes that begin with one of these words and a colon are shown under it."""


def row_notes(item: Mapping[str, Any], notes: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """Labels and texts, in the record's order; those that stand in the row's reason already are left out.

    `notes` are used instead of the record's where they are given.
    """
    found = []
    reason = item.get("reason") or ""
    for note in item.get("notes") or () if notes is None else notes:
        label, colon, text = note.partition(": ")
        power = item.get("verdict") == "refuted" and " will not detect " in note  # said before the draws, and overtaken
        if not (reason and note in reason) and not power:
            found.append((label, text) if colon and label in LABELS else ("note", note))
    return found


def limiting_notes(records: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """Return the notes that no reader of a whole run should miss: claims that fall outside of their examples,
    assumptions, data that raised, weak passes; with the rows' names.

    Rows of which the same is to be said stand together.
    """
    found: dict[str, list[str]] = {}
    for item in records:
        if line := outside_line(item):
            found.setdefault(f"outside: {line}", []).append(item["id"])
        for label, text in row_notes(item):
            if label in ("assumed", "raised", "weak"):
                found.setdefault(f"{label}: {text}", []).append(item["id"])
    return [(text, list(dict.fromkeys(ids))) for text, ids in found.items()]


def named(rows: Sequence[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    return ", ".join(rows[:most]) + (f" and {len(rows) - most} more" if len(rows) > most else "")
