"""Sixty mutants of the product, drawn by a seed over all rooms and all operators.

    python -m tests.mutation.draw          # writes reports/mutation.json anew, all of them unjudged

A room is a package below `dpverify`, `auditors` or `reference_impls`. Rooms are shuffled and taken in turn, operators
too, so that each has its share; a file of the room is drawn by its number of sites.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.mutation.sites import OPERATORS, Mutant, mutants

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "reports/mutation.json"
SEED, COUNT = 40, 60


def rooms(root: Path) -> dict[str, list[str]]:
    """By package two floors down (one, for modules that stand directly in a package): its files."""
    found: dict[str, list[str]] = {}
    for package in ("dpverify", "auditors", "reference_impls"):
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).parts
            if "bugs" not in parts:  # code for the interpreters of old releases
                found.setdefault("/".join(parts[:2]) if len(parts) > 2 else package, []).append("/".join(parts))
    return found


def draw(root: Path, *, seed: int = SEED, count: int = COUNT) -> list[Mutant]:
    """The mutants, sorted; the same for the same sources and seed."""
    coins = random.Random(seed)
    known = rooms(root)
    found: set[Mutant] = set()
    names: list[str] = []
    operators: list[str] = []
    while len(found) < count:
        names = names or coins.sample(sorted(known), len(known))
        operators = operators or coins.sample(sorted(OPERATORS), len(OPERATORS))
        room = names.pop()
        sites = [each for path in known[room] for each in mutants(root, path, operators[-1])]
        if sites:
            operators.pop()
            found.add(coins.choice(sites))
    return sorted(found)


def write(rows: Iterable[dict[str, Any]]) -> None:
    """The record: a row a mutant."""
    RECORD.write_text(json.dumps(list(rows), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(asdict(each) | {"before": None} for each in draw(ROOT))
