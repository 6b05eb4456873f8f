"""Gives the workers of pytest-xdist whole files: ``pytest -p tests.by_file -n auto``, as `make test` does.

What a file's tests look at together, as a run of a whole suite or a copy of the repository, is then made once. Where
tests are handed out one by one (`--dist worksteal`), a file is split between workers, and each makes it. The longest
files begin first, so that none begins last; of the others a worker takes the one after its own, since neighbours share
what a process keeps.

Workers and what they start compute with one thread each: several that wait for each other's turn take time from all.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler.worksteal import MIN_PENDING, WorkStealingScheduling

LISTED = Path(__file__).with_name("long_tests.json")
LONG = 10.0
"""Processor seconds of the listed tests of a file that begins early."""


def pytest_configure() -> None:
    """Set what workers inherit; numpy's library reads it when it is loaded, and tests of threads set their own."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


class ByFile(WorkStealingScheduling):
    """A file for each worker that has no second test left; nothing is taken from another."""

    def __init__(self, config: Any, log: Any = None) -> None:
        super().__init__(config, log)
        self._long: list[int] | None = None  # the first tests of long files, the longest file last
        self._latest: dict[Any, int] = {}

    def check_schedule(self) -> None:
        """Send files to workers that need them, and end those for whom there is none."""
        for node, queue in self.node2pending.items():
            while len(queue) < MIN_PENDING and not node.shutting_down:
                if self.pending:
                    self._send_file(node, self._begin(node))
                else:
                    node.shutdown()

    def _send_file(self, node: Any, begin: int) -> None:
        end = begin + 1
        while end < len(self.pending) and self._file(self.pending[end]) == self._file(self.pending[begin]):
            end += 1
        tests = self.pending[begin:end]
        del self.pending[begin:end]
        self._latest[node] = tests[-1]
        self.node2pending[node].extend(tests)
        node.send_runtest_some(tests)

    def _file(self, test: int) -> str:
        assert self.collection is not None
        return self.collection[test].partition("::")[0]

    def _begin(self, node: Any) -> int:
        """The place, among the tests that nobody has, of the first one that the worker is to have next."""
        self.pending.sort()  # as it is but after a worker's death
        if self._long is None:
            self._long = self._first_of_long()
        while self._long:
            first = self._long.pop()
            place = bisect_left(self.pending, first)
            if self.pending[place : place + 1] == [first]:
                return place
        after = self._latest.get(node, -1) + 1
        place = bisect_left(self.pending, after)
        if self.pending[place : place + 1] == [after]:
            return place
        ends = [at for at in range(1, len(self.pending)) if self.pending[at] != self.pending[at - 1] + 1]
        begin, end = max(zip([0, *ends], [*ends, len(self.pending)], strict=True), key=lambda run: run[1] - run[0])
        middle = (begin + end) // 2  # of the longest run of tests that nobody has: the other half is for the next
        while middle > begin and self._file(self.pending[middle - 1]) == self._file(self.pending[middle]):
            middle -= 1
        return middle

    def _first_of_long(self) -> list[int]:
        seconds: dict[str, float] = {}
        for name, each in json.loads(LISTED.read_text(encoding="utf-8")).items():
            file = name.partition("::")[0]
            seconds[file] = seconds.get(file, 0.0) + each
        first: dict[str, int] = {}
        for test in self.pending:
            first.setdefault(self._file(test), test)
        long = [file for file in first if seconds.get(file, 0.0) >= LONG]
        return [first[file] for file in sorted(long, key=seconds.__getitem__)]
