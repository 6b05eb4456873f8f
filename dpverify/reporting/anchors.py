"""Names of rows for addresses and files: no two are alike, also where two runs have rows of one id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpverify.runner.atomic_files import safe_name


def with_anchors(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The records, each with an ``anchor`` of its own."""
    taken: set[str] = set()
    found = []
    for item in records:
        name = first = safe_name(item["id"])
        again = 1
        while name.lower() in taken:  # some file systems do not tell the cases of letters apart
            again += 1
            name = f"{first}~{again}"
        taken.add(name.lower())
        found.append({**item, "anchor": name})
    return found
