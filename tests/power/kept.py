"""The finished cells of one auditor, on disk: its detection curves, and its looks at known-broken mechanisms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dpverify.core.json_text import dump
from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.environment import environment
from dpverify.runner.record import plain
from tests.calibration.replayed import replayable, state

PLACES = {"sweep": ("mechanism", "ratio"), "known_broken": ("claim", "trials")}
"""What tells the cells of a part apart."""


class Kept:
    """The cells of each part, by their places."""

    def __init__(self, folder: Path, auditor: str) -> None:
        self.path, self.auditor = folder / f"{auditor}.json", auditor
        content = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.cells: dict[str, list[dict[str, Any]]] = {part: content.get(part, []) for part in PLACES}

    def find(self, part: str, key: dict[str, Any]) -> dict[str, Any] | None:
        """The cell in the key's place, of whatever sources."""
        return next((one for one in self.cells[part] if all(one.get(name) == key[name] for name in PLACES[part])), None)

    def holds(self, part: str, key: dict[str, Any]) -> dict[str, Any] | None:
        """The cell that agrees with all of the key, or was replayed; None where there is none, or a stale one."""
        one = self.find(part, key)
        return one if one is not None and state(one, key) != "stale" else None

    def asks(self, part: str, key: dict[str, Any]) -> dict[str, Any] | None:
        """The cell whose small part is to be made: a stale one that may be replayed, or one that holds and has none."""
        one = self.find(part, key)
        if one is None or not (replayable(one, key) or (state(one, key) == "done" and "part" not in one)):
            return None
        return one

    def replayed(self, part: str, key: dict[str, Any], made: str) -> bool:
        """Put down that the small part of a cell came out as `made`; False where it should have been another."""
        one = self.find(part, key)
        if one is None or one.get("part", made) != made:
            return False
        self.put(part, {**one, **({"replayed": key["sources"]} if "part" in one else {"part": made})})
        return True

    def put(self, part: str, cell: dict[str, Any]) -> None:
        """In the place of an older one. Read the file just before: others may work on it."""
        old = self.find(part, cell)
        self.cells[part] = [*(one for one in self.cells[part] if one is not old), plain(cell)]
        write_atomically(self.path, dump(plain({"auditor": self.auditor, "environment": environment(), **self.cells})))
