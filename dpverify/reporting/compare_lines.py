"""Changes between two runs, as lines and as plain values."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dpverify.core.printable import visible
from dpverify.reporting.formatting import VERDICTS
from dpverify.runner.compare import KINDS, Change

WIDTH = 80


def compare_lines(found: Sequence[Change], *, before: int, after: int) -> list[str]:
    """One line a change (longer ones are folded at 80 columns), then how many of each kind.

    Parameters
    ----------
    before, after : int
        Claims in each of the runs.
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
