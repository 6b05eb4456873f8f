"""A plug-in of pytest that says at the end where the time went: ``pytest -p tests.measure``, as `make test` does.

Minutes by folder of `tests`, the fifty slowest tests, and how many processes were started. Seconds are of wall time in
setup, call and teardown, and of CPU time of children that ended in them. Processes are those that a test starts itself
(fork, spawn, exec); what its children start in turn is not counted.
"""

from __future__ import annotations

import _posixsubprocess
import resource
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

SLOWEST = 50

started = 0
"""Processes that this one has started."""


def _count(event: str, _: tuple[Any, ...]) -> None:
    global started
    started += event in ("os.fork", "os.forkpty", "os.posix_spawn")


def _counted(fork_exec: Any) -> Any:
    def call(*words: Any) -> int:
        global started
        started += 1
        return fork_exec(*words)

    return call


def pytest_configure() -> None:
    """Count from here on: multiprocessing and subprocess start processes by a function that raises no audit event."""
    sys.addaudithook(_count)
    _posixsubprocess.fork_exec = subprocess._fork_exec = _counted(_posixsubprocess.fork_exec)


def _spent() -> tuple[int, float]:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return started, children.ru_utime + children.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    item.stash[LAST] = _spent()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Each phase's report carries what the phase started; xdist sends it on as it is."""
    report = yield
    before, now = item.stash[LAST], _spent()
    report.started, report.child_seconds = now[0] - before[0], now[1] - before[1]
    item.stash[LAST] = now
    return report


LAST: pytest.StashKey[tuple[int, float]] = pytest.StashKey()


class Totals:
    """What all reports say together."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.child_seconds: Counter[str] = Counter()
        self.started: Counter[str] = Counter()

    def add(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        self.child_seconds[report.nodeid] += getattr(report, "child_seconds", 0.0)
        self.started[report.nodeid] += getattr(report, "started", 0)

    def lines(self) -> list[str]:
        """The table by folder, then the slowest tests."""
        folders = sorted({folder(name) for name in self.seconds})
        rows = []
        for each in folders:
            names = [name for name in self.seconds if folder(name) == each]
            sums = [sum(of[name] for name in names) for of in (self.seconds, self.child_seconds, self.started)]
            rows.append((sums[0], f"{each:<24} {len(names):>6} {sums[0] / 60:>8.2f} {sums[1] / 60:>8.2f} {sums[2]:>9}"))
        total = (len(self.seconds), self.seconds.total() / 60, self.child_seconds.total() / 60, self.started.total())
        slowest = [f"{seconds:>8.2f} s  {name}" for name, seconds in self.seconds.most_common(SLOWEST)]
        return [
            f"{'folder':<24} {'tests':>6} {'minutes':>8} {'children':>8} {'processes':>9}",
            *(line for _, line in sorted(rows, reverse=True)),
            "{:<24} {:>6} {:>8.2f} {:>8.2f} {:>9}".format("all", *total),
            "",
            f"the {len(slowest)} slowest tests",
            *slowest,
        ]


def folder(nodeid: str) -> str:
    """``tests/cli/test_x.py::test_y`` as ``cli``; a file directly in `tests` as its own name."""
    return nodeid.partition("::")[0].split("/")[1]


TOTALS = Totals()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    TOTALS.add(report)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if TOTALS.seconds:
        terminalreporter.section("minutes by folder")
        for line in TOTALS.lines():
            terminalreporter.write_line(line)
