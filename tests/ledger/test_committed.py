"""The committed records: small enough to read, and of the data that they are meant for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

RECORDS = Path(__file__).parents[2] / "reports" / "records"
LARGEST = 96 * 1024
"""Bytes. A record names a table by shape and checksum."""
LARGEST_STATEMENT = 320 * 1024
"""One about a figure holds the value of each repetition: 2,000 where nothing is trained."""


def committed() -> dict[str, dict[str, Any]]:
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(RECORDS.glob("*.json"))}


def test_every_record_is_small_enough_to_read() -> None:
    sizes = {path.name: path.stat().st_size for path in RECORDS.glob("*.json")}
    most = {name: LARGEST_STATEMENT if name.startswith("U-") else LARGEST for name in sizes}
    assert {name: size for name, size in sizes.items() if size > most[name]} == {}


@pytest.mark.parametrize("name", [name for name, item in committed().items() if item["space"].get("data") == "auto"])
def test_rows_on_the_default_data_were_decided_on_adult(name: str) -> None:
    """``auto`` is Adult only where its files are: a record made without them must not be committed."""
    kept = committed()[name]
    sides = [side for side in ("d0", "d1") if isinstance(kept["witness"].get(side), dict)]
    assert sides
    for side in sides:
        assert "adult" in str(kept["witness"][side].get("name", kept["witness"][side]))
