"""``make quick``: what a change may have broken, in under a minute.

ruff on everything, mypy with its cache, then the tests that reach the changed files, the nearest first, for as long as
there is time. What there was no time for is said; it is no substitute for `make test`.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.quick.affected import affected, importers

ROOT = Path(__file__).parents[2]
SECONDS = 30.0
"""For the tests; the rest takes about ten on two cores."""
BATCH = 6
"""Test files at a time: to collect all that a change reaches would take longer than to run the nearest."""


class Watch:
    """Counts what ran and what failed, and ends a pytest session between two tests once the time is over."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.failed = 0
        self.left = 0

    @property
    def over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() > self.end

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.left = len(session.items)

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
    watch = Watch(SECONDS)
    for first in range(0, len(files), BATCH):
        pytest.main(["-q", "--benchmark-disable", *map(str, files[first : first + BATCH])], plugins=[watch])
        if watch.over:
            later = len(files) - first - BATCH
            say(f"not run: {watch.left} tests of these files and {max(0, later)} files; `make test` runs all")
            break
    if types.wait():
        failed.append(["mypy"])
    say(f"{time.monotonic() - begun:.0f} s")
    return 1 if failed or watch.failed else 0


if __name__ == "__main__":
    sys.exit(main())
