"""What of a result comes first where it is long: whole facts, by how much the verdict hangs on them, in their order."""

from __future__ import annotations

from collections.abc import Sequence

from dpverify.reporting.labelled_lines import HANG

MOST = 12
"""Lines of a result in the terminal, its head and the line that says how many are left out among them."""

FIRST: tuple[str, ...] = ("because", "outside", "measured", "event", "limits", "weak", "pair", "not told", "raised")
FIRST += ("noise", "shrink", "sure", "means", "labels", "left", "note")
"""Labels in the order of their weight; all others come after them, and what a label says again after all labels."""


def first_lines(lines: Sequence[str], most: int) -> list[str]:
    """Return at most `most` lines, a label with all lines of its text or none; the last says how many are left out."""
    if len(lines) <= most:
        return list(lines)
    facts: list[list[str]] = []
    for line in lines:
        if line.startswith(HANG) and facts:
            facts[-1].append(line)
        else:
            facts.append([line])
    labels = [fact[0][: len(HANG)].strip() for fact in facts]
    weights = [(labels[:place].count(label), _place(label)) for place, label in enumerate(labels)]
    taken: set[int] = set()
    room = most - 1
    for place in sorted(range(len(facts)), key=weights.__getitem__):
        if len(facts[place]) <= room:
            taken.add(place)
            room -= len(facts[place])
    kept = [line for place, fact in enumerate(facts) if place in taken for line in fact]
    return [*kept, f"  ...       {len(lines) - len(kept)} more lines: --verbose"]


def _place(label: str) -> int:
    return FIRST.index(label) if label in FIRST else len(FIRST)
