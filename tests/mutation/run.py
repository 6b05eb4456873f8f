"""Which of the drawn mutants the suite kills.

    python -m tests.mutation.run probe COPY HITS      # probes into a copy of the repository; then run its suite
    python -m tests.mutation.run judge COPY HITS before|after   # each mutant in a copy; kept as it goes
    python -m tests.mutation.run again COPY      # those that were killed, by the tests that did it or the nearest

`judge` runs, for each mutant, the tests that execute its line with ``-x``, those of the nearest files (by imports)
first. A line that no probe reaches (compiled, or executed at import) is judged by all tests of the files that import
its module, the nearest first. *Killed*: a test failed, or the tests hung; *alive*: all passed; *alive in time*: all
passed that there was time for. A test that also fails where a statement that does nothing stands in the mutant's place
fails after any change of this code (a record is stale, a digest is another), and is left out.

`again` asks whether a changed suite still kills what was killed; what was alive before cannot be newly alive.
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

NOTHING_RAN, USAGE = 5, 4
"""Two of pytest's exit statuses."""


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


def tests_again(copy: Path, mutant: Mutant, by: str) -> dict[str, list[str]]:
    """By test file: all tests of the file that killed it (where it is still there), then those of the nearest files."""
    killer = by.partition("::")[0].partition(" ")[0]
    return ({killer: []} if (copy / killer).is_file() else {}) | tests_of(copy, mutant, set())


def judged(copy: Path, mutant: Mutant, tests: dict[str, list[str]], python: Path) -> dict[str, Any]:
    """What became of one mutant by `tests`, in their order; the copy is as it was afterwards."""
    path = copy / mutant.path
    whole = path.read_text(encoding="utf-8")
    broken, same = mutant.applied(whole), probes.unchanged(whole, mutant.line)
    if broken is None:
        return {"outcome": "gone"}
    suite = Suite(copy, python, compiled="njit" in whole)
    begun, ran = time.monotonic(), 0
    try:
        for file, chosen in tests.items():
            excluded: set[str] = set()
            while True:
                if time.monotonic() - begun > SECONDS:
                    return {"outcome": "alive in time", "passed": ran}
                path.write_text(broken, encoding="utf-8")
                failed, passed = suite.run(file, chosen, excluded)
                if not failed:
                    ran += passed
                    break
                if same is not None and "::" in failed:
                    path.write_text(same, encoding="utf-8")
                    if suite.run(file, [failed], set())[0]:  # it fails after any change of this code
                        excluded.add(failed)
                        continue
                return {"outcome": "killed", "by": failed, "seconds": round(time.monotonic() - begun)}
        return {"outcome": "alive", "passed": ran, "seconds": round(time.monotonic() - begun)}
    finally:
        path.write_text(whole, encoding="utf-8")
        suite.tidy()


class Suite:
    """Runs the tests of a file in the copy."""

    def __init__(self, copy: Path, python: Path, *, compiled: bool) -> None:
        self._copy, self._python = copy, python
        self._environment = dict(os.environ)
        if compiled:  # numba's cache knows nothing of kernels that a kernel calls
            self._environment["NUMBA_CACHE_DIR"] = str(copy / ".mutant_kernels")

    def run(self, file: str, chosen: list[str], excluded: set[str]) -> tuple[str, int]:
        """The first test that failed (or the file, where it hung or did not start), and how many passed before it."""
        self.tidy()
        lists = [self._copy / ".mutation_tests", self._copy / ".mutation_excluded"]
        for path, names in zip(lists, (chosen, sorted(excluded)), strict=True):
            path.write_text("\n".join(names))
        words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "tests.mutation.only", "--benchmark-disable"]
        given = {"MUTATION_TESTS": str(lists[0]), "MUTATION_EXCLUDED": str(lists[1])}
        try:
            done = subprocess.run(
                [self._python, "-m", "pytest", *words, "-m", "not slow", file],
                cwd=self._copy,
                capture_output=True,
                text=True,
                timeout=HUNG,
                env=self._environment | given,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{file} (hung)", 0
        counts = re.search(r"(\d+) passed", done.stdout)
        passed = int(counts[1]) if counts else 0
        if done.returncode in (0, NOTHING_RAN):
            return "", passed
        if done.returncode == USAGE:
            raise RuntimeError(f"pytest did not start: {done.stderr[-2000:]}")
        failed = re.findall(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
        return failed[0] if failed else file, passed

    def tidy(self) -> None:
        """Drop the kernels that were compiled of a mutant."""
        shutil.rmtree(self._copy / ".mutant_kernels", ignore_errors=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("what", choices=("probe", "judge", "again"))
    options.add_argument("copy", type=Path)
    options.add_argument("hits", type=Path, nargs="?")
    options.add_argument("when", nargs="?", choices=("before", "after"))
    options.add_argument("--part", default="0/1", help="every N-th mutant from the K-th on, as K/N")
    options.add_argument("--out", type=Path, default=RECORD)
    asked = options.parse_args()
    rows = json.loads(RECORD.read_text())
    if asked.what == "probe":
        probes.put(asked.copy, [mutant_of(row) for row in rows], asked.hits)
        return
    once_more = asked.what == "again"
    when, seen = ("after", {}) if once_more else (asked.when, probes.read(asked.hits))
    first, _, step = asked.part.partition("/")
    for place in range(int(first), len(rows), int(step)):
        row, mutant = rows[place], mutant_of(rows[place])
        if row.get(when) is None and not (once_more and row["before"]["outcome"] != "killed"):
            if once_more:
                tests = tests_again(asked.copy, mutant, row["before"]["by"])
            else:
                tests = tests_of(asked.copy, mutant, seen.get(place, set()))
            row[when] = judged(asked.copy, mutant, tests, asked.copy / ".venv/bin/python")
            if asked.out == RECORD:
                write(rows)
            else:
                asked.out.open("a").write(json.dumps([place, row[when]]) + "\n")
            print(place, row["path"], row[when], flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
