"""A record as writers take it: fields that the schema does not ask for are there, and every text prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.printable import all_visible
from dpverify.core.record import Record

ABSENT: Mapping[str, Any] = {
    "statement": "",
    "parameters": {},
    "space": {},
    "reason": "",
    **dict.fromkeys(("tightness", "excess", "proved", "estimate", "detectable", "ceiling", "expectation", "surprise")),
}
"""What stands for a field that a record may lack."""


def for_people(record: Record, *, lines: bool = False) -> Record:
    """The record with all fields, its texts made visible (`dpverify.core.printable.all_visible`)."""
    found: Record = all_visible({**ABSENT, **record}, lines=lines)
    return found
