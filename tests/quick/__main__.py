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
SECONDS = 40.0
"""For the tests; the rest takes about ten on two cores."""


class Deadline:
    """Ends a pytest session between two tests once the time is over."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.ran = 0
        self.collected = 0

    @pytest.hookimpl
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.collected = len(items)

    @pytest.hookimpl
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        self.ran += 1
        if time.monotonic() > self.end:
            item.session.shouldstop = "the time of `make quick` is over"


def changed_files() -> list[str]:
    """Those that differ from the last commit, or, in a clean tree, those of the last commit."""

    def lines(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    found = lines("diff", "--name-only", "HEAD") + lines("ls-files", "--others", "--exclude-standard")
    return found or lines("diff", "--name-only", "HEAD~1", "HEAD")


def main() -> int:
    """The exit status: 0 when nothing that was looked at failed."""
    begun = time.monotonic()
    tools = Path(sys.executable).parent
    types = subprocess.Popen([tools / "mypy"], cwd=ROOT)
    checks = [[tools / "ruff", "check", "--quiet", "."], [tools / "ruff", "format", "--quiet", "--check", "."]]
    failed = [command for command in checks if subprocess.run(command, cwd=ROOT, check=False).returncode]
    changed = changed_files()
    files = affected(changed, importers(ROOT), ROOT)
    print(f"{len(changed)} changed files, {len(files)} test files reach them", flush=True)
    status = 0
    if files:
        deadline = Deadline(SECONDS)
        status = int(pytest.main(["-q", "--benchmark-disable", *map(str, files)], plugins=[deadline]))
        status = 0 if status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) else status
        if deadline.ran < deadline.collected:
            print(f"{deadline.collected - deadline.ran} of {deadline.collected} tests not run: `make test` runs all")
            status = 0 if status == pytest.ExitCode.INTERRUPTED else status
    if types.wait():
        failed.append(["mypy"])
    print(f"{time.monotonic() - begun:.0f} s")
    return 1 if failed or status else 0


if __name__ == "__main__":
    sys.exit(main())
