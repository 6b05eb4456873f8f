"""Outcomes of saved failures as lines of at most 80 columns, and as plain values."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpverify.core.printable import visible
from dpverify.saved_failures.outcome import Outcome

WIDTH = 80


def outcome_line(found: Outcome) -> str:
    """Say what became of one failure."""
    told = f" ({found.file})" if found.file else ""
    text = visible(f"{found.says:<8}  {found.claim}: {found.why}{told}")
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * 10, break_long_words=False, break_on_hyphens=False)


def total_line(found: Sequence[Outcome], where: Path) -> str:
    """Say how many there are of each kind."""
    counted = Counter(each.says for each in found)
    if not found:
        return f"No failures are recorded in {where}."
    return f"{len(found)} saved failures: {', '.join(f'{count} {says}' for says, count in sorted(counted.items()))}."


def outcome_values(found: Outcome) -> dict[str, Any]:
    """Return ``{"claim", "file", "says", "why"}``."""
    return {"claim": found.claim, "file": found.file, "says": found.says, "why": found.why}
