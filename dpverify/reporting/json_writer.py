"""JSON: ``results.json``, an array of records; a file a record below ``records/``; ``summary.json``, the run's head."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.core.json_text import dump
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.reporting.facts import summary
from dpverify.runner.atomic_files import safe_name, write_atomically


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonWriter:
    """Writes the records as they are."""

    name: str = "json"

    def write(self, results: Iterable[Any], folder: Path, *, title: str) -> Path:
        """Write every record, the summary, then the array of all; returns the array's path."""
        records = list(results)
        write_atomically(folder / "summary.json", dump(summary(records, title=title)))
        for item in with_anchors(records):
            own = {name: value for name, value in item.items() if name != "anchor"}
            write_atomically(folder / "records" / f"{item['anchor']}.json", dump(own))
        return write_atomically(folder / "results.json", dump(records))


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


def register(registry: Registry) -> None:
    """Register the writer."""
    registry.writers.add("json", JsonWriter())
