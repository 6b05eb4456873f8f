"""``make attack``: every attack on the tool, what must happen, what happened, and what was lost.

Attacks are found in the files below `cases`; there is no list to edit. Each runs in an empty folder of its own.
Out: `reports/rendered/reliability.md`. Exits with 1 when one did not go as it must.

    make attack
    python -m tests.attack.matrix --only containment
"""

from __future__ import annotations

import argparse
import importlib
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.environment import environment
from tests.attack.attack import Attack, Outcome

ROOT = Path(__file__).parents[2]
RENDERED = ROOT / "reports/rendered/reliability.md"

HEAD = """# Reliability: attacks on the tool itself

A tool that decides about others must survive them. Each row is an attack that was made on this version: what was tried,
what must happen, what happened, and what was lost. Made by `make attack`; the tests make the quick ones again.

## Marks

What others do in like cases, each tried by hand; their purposes are others, and none of them promises more.

- SQLite 3.40.1: one digit of a stored value was changed in the file. `PRAGMA integrity_check` says `ok`, and the query
  returns the other digit. Our store is such a file; each row carries a checksum, and a row that differs is named.
- pytest 9.2.0: a broken `.pytest_cache/v/cache/lastfailed` is passed over, and `--lf` runs all tests without a word. A
  cache may be lost; a verdict may not, so a saved failure of ours that cannot be read is named.
- Hypothesis 6.170.15: the bytes of a file in the example database were replaced, and `fetch` returns them. An example
  is tried again, so nothing false can come of it; our saved failures are tried again for the same reason.
- distributed 2026.8.0 (Dask): `deserialize` of a foreign object ran the code that it names. A watched process sends its
  result to ours as JSON."""


def attacks() -> Iterator[tuple[str, Attack]]:
    """All of them, by the name of their file."""
    for path in sorted((Path(__file__).parent / "cases").glob("[a-z]*.py")):
        module = importlib.import_module(f"tests.attack.cases.{path.stem}")
        yield from ((path.stem.replace("_", " "), attack) for attack in module.ATTACKS)


def made(attack: Attack) -> Outcome:
    """The attack, made now; an exception of its own is an attack that did not hold."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return attack.run(Path(folder))
        except Exception as problem:  # noqa: BLE001 - the table must be whole
            return Outcome(
                happened=f"the attack itself failed: {type(problem).__name__}: {problem}", held=False, lost="?"
            )


def rendered(rows: list[tuple[str, Attack, Outcome]], seconds: float) -> str:
    """The page."""
    held = sum(outcome.held for _, _, outcome in rows)
    about = environment()
    lines = [
        HEAD,
        "",
        f"{held} of {len(rows)} attacks went as they must ({seconds / 60:.0f} minutes; Python {about['python']}).",
    ]
    for group in dict.fromkeys(group for group, _, _ in rows):
        lines += ["", f"## {group.capitalize()}", "", "| attack | must happen | happened | lost |", "|---|---|---|---|"]
        for _, attack, outcome in (row for row in rows if row[0] == group):
            happened = outcome.happened if outcome.held else f"**{outcome.happened}**"
            lines.append(f"| {' | '.join(map(_cell, (attack.name, attack.wanted, happened, outcome.lost)))} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    text = re.sub(rf"{re.escape(tempfile.gettempdir())}/[^/\s]+", "(a temporary folder)", text)
    text = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= 300 else text[:297] + "..."


def main() -> int:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", help="only files and attacks whose name contains this; the page is not written")
    given = options.parse_args()
    begun, rows = time.monotonic(), []
    for group, attack in attacks():
        if given.only and given.only not in f"{group}: {attack.name}":
            continue
        since = time.monotonic()
        outcome = made(attack)
        rows.append((group, attack, outcome))
        _say(f"{'held  ' if outcome.held else 'FAILED'} {group}: {attack.name} ({time.monotonic() - since:.1f} s)")
        if not outcome.held:
            _say(f"       wanted: {attack.wanted}\n       happened: {outcome.happened}")
    if not given.only:
        _say(str(write_atomically(RENDERED, rendered(rows, time.monotonic() - begun))))
    return int(not all(outcome.held for _, _, outcome in rows))


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's progress


if __name__ == "__main__":
    raise SystemExit(main())
