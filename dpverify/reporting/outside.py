"""What a record says of data outside of what its example shows: the first line, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.record import Record


def outside(item: Record) -> Mapping[str, Any]:
    """The evidence outside; empty where the claim does not fall there."""
    evidence = item.get("evidence")
    statistics: Any = evidence[0].get("statistics") if evidence else None
    found = statistics.get("outside") if isinstance(statistics, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def outside_line(item: Record) -> str:
    """``false unless records lie in [0, 1]: clip, or state --bounds``; empty where nothing is to be said."""
    return str(outside(item).get("line") or "")
