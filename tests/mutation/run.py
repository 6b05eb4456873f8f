"""Which of the drawn mutants the suite kills.

    python -m tests.mutation.run probe COPY HITS      # probes into a copy of the repository; then run its suite
    python -m tests.mutation.run judge COPY HITS before|after   # each mutant in a copy; kept as it goes

`judge` runs, for each mutant, the tests that execute its line with ``-x``, those of the nearest files (by imports)
first. A line that no probe reaches (compiled, or executed at import) is judged by all tests of the files that import
its module, the nearest first. *Killed*: a test failed, or the tests hung; *alive*: all passed; *alive in time*: all
passed that there was time for.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.mutation import probes
from tests.mutation.draw import RECORD, write
from tests.mutation.sites import Mutant
from tests.quick.affected import affected, importers

SECONDS = 400.0
"""For one mutant."""

HUNG = 300.0
"""A file's tests that take longer hang."""

FRESHNESS = r"stale|fresh|digest|is_drawn_from_the_records|index"
"""Tests that fail after any change of code, by their names: they say nothing about the change."""


def mutant_of(row: dict[str, Any]) -> Mutant:
    return Mutant(**{name: row[name] for name in ("path", "line", "operator", "old", "new")})


def tests_of(copy: Path, mutant: Mutant, names: set[str]) -> dict[str, list[str]]:
    """By test file, nearest first: the tests that execute the line; an empty list is all tests of the file."""
    near = [str(path.relative_to(copy)) for path in affected([mutant.path], importers(copy), copy)]
    if not (chosen := probes.nodes(names)):
        return {each: [] for each in near}
    files: dict[str, list[str]] = {}
    for each in sorted(chosen):
        files.setdefault(each.partition("::")[0], []).append(each)
    order = {each: place for place, each in enumerate(near)}
    return dict(sorted(files.items(), key=lambda each: order.get(each[0], len(near))))


def judged(copy: Path, mutant: Mutant, names: set[str], python: Path) -> dict[str, Any]:
    """What became of one mutant; the copy is as it was afterwards."""
    path = copy / mutant.path
    whole = path.read_text(encoding="utf-8")
    broken = mutant.applied(whole)
    if broken is None:
        return {"outcome": "gone"}
    compiled = "njit" in whole
    begun, ran = time.monotonic(), 0
    found: dict[str, Any] = {"outcome": "alive"}
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    try:
        path.write_text(broken, encoding="utf-8")
        if compiled:  # numba's cache knows nothing of kernels that a kernel calls
            environment["NUMBA_CACHE_DIR"] = str(copy / ".mutant_kernels")
        for file, chosen in tests_of(copy, mutant, names).items():
            if time.monotonic() - begun > SECONDS:
                found = {"outcome": "alive in time"}
                break
            listed = copy / ".mutation_tests"
            listed.write_text("\n".join(chosen))
            words = [
                python,
                "-m",
                "pytest",
                "-x",
                "-q",
                "-n",
                "0",
                "-p",
                "no:cacheprovider",
                "-p",
                "tests.mutation.only",
            ]
            try:
                done = subprocess.run(
                    [*words, "--benchmark-disable", file],
                    cwd=copy,
                    capture_output=True,
                    text=True,
                    timeout=HUNG,
                    env=environment | {"MUTATION_TESTS": str(listed), "MUTATION_FRESHNESS": FRESHNESS},
                    check=False,
                )
            except subprocess.TimeoutExpired:
                found = {"outcome": "killed", "by": f"{file} (hung)"}
                break
            if done.returncode in (1, 2, 3, 4) or done.returncode < 0:
                failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
                found = {"outcome": "killed", "by": failed[0] if failed else file}
                break
            counts = re.search(r"(\d+) passed", done.stdout)
            ran += int(counts[1]) if counts else 0
    finally:
        path.write_text(whole, encoding="utf-8")
        shutil.rmtree(copy / ".mutant_kernels", ignore_errors=True)
    return found | {"passed": ran, "seconds": round(time.monotonic() - begun)}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("what", choices=("probe", "judge"))
    options.add_argument("copy", type=Path)
    options.add_argument("hits", type=Path)
    options.add_argument("when", nargs="?", choices=("before", "after"))
    options.add_argument("--part", default="0/1", help="every N-th mutant from the K-th on, as K/N")
    options.add_argument("--out", type=Path, default=RECORD)
    asked = options.parse_args()
    rows = json.loads(RECORD.read_text())
    if asked.what == "probe":
        probes.put(asked.copy, [mutant_of(row) for row in rows], asked.hits)
        return
    seen = probes.read(asked.hits)
    first, _, step = asked.part.partition("/")
    for place in range(int(first), len(rows), int(step)):
        row = rows[place]
        if row.get(asked.when) is None:
            row[asked.when] = judged(
                asked.copy, mutant_of(row), seen.get(place, set()), asked.copy / ".venv/bin/python"
            )
            if asked.out == RECORD:
                write(rows)
            else:
                asked.out.open("a").write(json.dumps([place, row[asked.when]]) + "\n")
            print(place, row["path"], row[asked.when], flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
