"""JSON: ``results.json``, an array of records; a file a record below ``records/``; ``summary.json``, the run's head."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.core.json_text import dump
from dpverify.core.registry import Registry
from dpverify.reporting.anchors import with_anchors
from dpverify.reporting.facts import summary
from dpverify.runner.atomic_files import write_atomically


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


def register(registry: Registry) -> None:
    """Register the writer."""
    registry.writers.add("json", JsonWriter())
