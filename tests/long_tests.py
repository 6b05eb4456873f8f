"""The tests that cost more than a commit should wait for: `make test-ci` runs them, and CI, but not `make test`.

    python -m tests.long_tests [SECONDS]   # after a complete `make test` and `make test-ci`: writes the list anew

The list stands in `tests/long_tests.json`, each test with its processor seconds; `tests/conftest.py` gives them the
marker `ci`. They are whole audits, commands and computations at full precision, beside whose sources cheaper tests
stand, too. A test is long for what it costs itself: what it makes for others of its file is theirs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.measure import FILE as MEASURED

FILE = Path(__file__).with_suffix(".json")

SECONDS = 0.7
"""Of processor time, with children, on the machine that made the list."""


def long_tests() -> dict[str, float]:
    """By test, its seconds."""
    listed: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))
    return listed


def main(limit: float) -> None:
    known = long_tests() if FILE.exists() else {}
    measured = {name: own + children for name, (own, children, _) in json.loads(MEASURED.read_text()).items()}
    found = known | {name: round(seconds, 1) for name, seconds in measured.items() if seconds > limit}
    found = {name: seconds for name, seconds in found.items() if measured.get(name, limit + 1) > limit}
    FILE.write_text(json.dumps(dict(sorted(found.items())), indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(found)} tests, {sum(found.values()) / 60:.1f} processor minutes\n")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
