"""Failures that a suite file accepts for a time: counted, and said with their last day, wherever rows are counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dpverify.core.record import Record

_IN_REASON = re.compile(r"(?:^|; )accepted until (\d{4}-\d\d-\d\d): ")
"""In records of earlier versions the reason alone says it."""


def accepted_until(item: Record) -> str:
    """The last day on which the row's failure is accepted, such as ``2026-12-31``; empty where it is not."""
    accepted = item.get("accepted")
    if accepted:
        return str(accepted["until"])
    found = _IN_REASON.search(item.get("reason") or "")
    return found[1] if found else ""


def accepted_among(records: Sequence[Record]) -> str:
    """`` (2 of them accepted until 2026-12-31)``, with a blank before it; empty where none is accepted."""
    days = [day for day in map(accepted_until, records) if day]
    if not days:
        return ""
    first, last = min(days), max(days)
    until = f"until {first}" if first == last else f"until days from {first} to {last}"
    many = "" if len(records) == 1 else "all of them " if len(days) == len(records) else f"{len(days)} of them "
    return f" ({many}accepted {until})"
