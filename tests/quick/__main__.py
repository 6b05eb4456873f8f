"""``make quick``: what a change may have broken, in twenty seconds.

ruff on everything, mypy with its cache beside it, and the tests that reach the changed files, the nearest first, for as
long as there is time. A test that took longer in the last `make test` than there is time for is left out. What was not
run is said; it is no substitute for `make test`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from tests import measure
from tests.quick.affected import affected, importers

ROOT = Path(__file__).parents[2]
SECONDS = 15.0
"""From the start to the end of the last test; mypy, which runs meanwhile, may take a little longer."""
BATCH = 6
"""Test files at a time: to collect all that a change reaches would take longer than to run the nearest."""


class Watch:
    """Counts what ran and what failed, and ends a pytest session between two tests once the time is over."""

    def __init__(self, end: float) -> None:
        self.end = end
        self.failed = self.left = self.long = 0

    @property
    def over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() > self.end

    @pytest.hookimpl
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what takes longer than there is time for."""
        known, there_is = last_seconds(), self.end - time.monotonic()
        long = [each for each in items if known.get(each.nodeid, 0.0) > there_is]
        items[:] = [each for each in items if known.get(each.nodeid, 0.0) <= there_is]
        config.hook.pytest_deselected(items=long)
        self.long += len(long)
        self.left = len(items)

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += report.failed

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.failed += report.failed

    @pytest.hookimpl
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        self.left -= 1
        if self.over:
            item.session.shouldstop = "the time of `make quick` is over"


@cache
def last_seconds() -> dict[str, float]:
    """What each test took in the last `make test`, in CPU seconds; empty where there was none."""
    if not measure.FILE.exists():
        return {}
    return {name: own + children for name, (own, children, _) in json.loads(measure.FILE.read_text()).items()}


def changed_files() -> list[str]:
    """Those that differ from the last commit, or, in a clean tree, those of the last commit."""

    def lines(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    found = lines("diff", "--name-only", "HEAD") + lines("ls-files", "--others", "--exclude-standard")
    return found or lines("diff", "--name-only", "HEAD~1", "HEAD")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """The exit status: 0 when nothing that was looked at failed."""
    begun = time.monotonic()
    tools = Path(sys.executable).parent
    types = subprocess.Popen([tools / "mypy"], cwd=ROOT)
    checks = [[tools / "ruff", "check", "--quiet", "."], [tools / "ruff", "format", "--quiet", "--check", "."]]
    failed = [command for command in checks if subprocess.run(command, cwd=ROOT, check=False).returncode]
    changed = changed_files()
    files = affected(changed, importers(ROOT), ROOT)
    say(f"{len(changed)} changed files, {len(files)} test files reach them")
    watch = Watch(begun + SECONDS)
    for first in range(0, len(files), BATCH):
        pytest.main(["-q", "--benchmark-disable", *map(str, files[first : first + BATCH])], plugins=[watch])
        if watch.over:
            break
    later = max(0, len(files) - first - BATCH) if files else 0
    if watch.left or watch.long or later:
        say(f"not run: {watch.left + watch.long} tests of these files and {later} files; `make test` runs all")
    if types.wait():
        failed.append(["mypy"])
    say(f"{time.monotonic() - begun:.0f} s")
    return 1 if failed or watch.failed else 0


if __name__ == "__main__":
    sys.exit(main())
