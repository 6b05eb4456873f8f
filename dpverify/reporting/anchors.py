"""Names of rows for addresses and files: no two are alike, also where two runs have rows of one id."""

from __future__ import annotations

from collections.abc import Iterable

from dpverify.core.record import Record
from dpverify.runner.atomic_files import safe_name


class AnchoredRecord(Record):
    """A record with its place on a page."""

    anchor: str


def with_anchors(records: Iterable[Record]) -> list[AnchoredRecord]:
    """The records, each with an ``anchor`` of its own."""
    taken: set[str] = set()
    found: list[AnchoredRecord] = []
    for item in records:
        name = first = safe_name(item["id"])
        again = 1
        while name.lower() in taken:  # some file systems do not tell the cases of letters apart
            again += 1
            name = f"{first}~{again}"
        taken.add(name.lower())
        found.append({**item, "anchor": name})
    return found
