"""A plug-in of pytest that says at the end where the time went: ``pytest -p tests.measure``, as `make test` does.

CPU minutes by folder of `tests` (wall time says more of what else the machine did), the fifty slowest tests, and how
many processes were started. CPU time is that of the worker in setup, call and teardown, and of children that ended in
them. Processes are those that a test starts itself (fork, spawn, exec); what its children start in turn is not counted.
All tests stand in `reports/local/test_seconds.json`.
"""

from __future__ import annotations

import _posixsubprocess
import json
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import forked

SLOWEST = 50
FILE = Path(__file__).parents[1] / "reports/local/test_seconds.json"

started = 0
"""Processes that this one has started."""


class Spent(NamedTuple):
    """CPU seconds of this process and of its children that ended, and the processes that it started."""

    own: float
    children: float
    processes: int

    @classmethod
    def so_far(cls) -> Spent:
        own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        ended = children.ru_utime + children.ru_stime + forked.spent[0]
        return cls(own.ru_utime + own.ru_stime, ended, started + forked.spent[1])


def _count(event: str, _: tuple[Any, ...]) -> None:
    global started
    started += event in ("os.fork", "os.forkpty", "os.posix_spawn")


def _counted(fork_exec: Any) -> Any:
    def call(*words: Any) -> int:
        global started
        started += 1
        number: int = fork_exec(*words)
        return number

    return call


def pytest_configure() -> None:
    """Count from here on: multiprocessing and subprocess start processes by a function that raises no audit event."""
    sys.addaudithook(_count)
    _posixsubprocess.fork_exec = subprocess._fork_exec = _counted(_posixsubprocess.fork_exec)  # type: ignore[attr-defined]


BEFORE = pytest.StashKey[Spent]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    item.stash[BEFORE] = Spent.so_far()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Each phase's report carries what the phase took; xdist sends it on as it is."""
    report = yield
    now = Spent.so_far()
    report.spent = [after - before for after, before in zip(now, item.stash[BEFORE], strict=True)]
    item.stash[BEFORE] = now
    return report


class Totals:
    """What all reports say together, by test."""

    def __init__(self) -> None:
        self.spent: dict[str, Spent] = {}
        self.wall: Counter[str] = Counter()

    def add(self, report: Any) -> None:
        before = self.spent.get(report.nodeid, Spent(0.0, 0.0, 0))
        self.spent[report.nodeid] = Spent(*map(sum, zip(before, getattr(report, "spent", before), strict=True)))
        self.wall[report.nodeid] += report.duration

    def lines(self) -> list[str]:
        """The table by folder, then the slowest tests."""
        rows: dict[str, list[str]] = {}
        for name in self.spent:
            rows.setdefault(folder(name), []).append(name)
        order = sorted(rows, key=lambda each: -sum(self._cpu(name) for name in rows[each]))
        slowest = sorted(self.spent, key=lambda name: -self._cpu(name))[:SLOWEST]
        return [
            f"{'folder':<24} {'tests':>6} {'CPU min':>8} {'children':>8} {'wall min':>8} {'processes':>9}",
            *(self._row(each, rows[each]) for each in order),
            self._row("all", list(self.spent)),
            "",
            f"the {len(slowest)} slowest tests, in CPU seconds",
            *(f"{self._cpu(name):>8.2f}  {name}" for name in slowest),
        ]

    def _cpu(self, name: str) -> float:
        return self.spent[name].own + self.spent[name].children

    def _row(self, title: str, names: list[str]) -> str:
        cpu, children = sum(map(self._cpu, names)) / 60, sum(self.spent[name].children for name in names) / 60
        wall, processes = sum(self.wall[name] for name in names) / 60, sum(self.spent[name].processes for name in names)
        return f"{title:<24} {len(names):>6} {cpu:>8.2f} {children:>8.2f} {wall:>8.2f} {processes:>9}"

    def keep(self) -> None:
        """Write the seconds of all tests; those of tests that did not run now stay."""
        known = json.loads(FILE.read_text()) if FILE.exists() else {}
        known |= {name: [round(each, 3) for each in spent] for name, spent in self.spent.items()}
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(json.dumps(dict(sorted(known.items())), indent=0))


def folder(nodeid: str) -> str:
    """``tests/cli/test_x.py::test_y`` as ``cli``; a file directly in `tests` as its own name."""
    return nodeid.partition("::")[0].split("/")[1]


TOTALS = Totals()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    TOTALS.add(report)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if TOTALS.spent:
        TOTALS.keep()
        terminalreporter.section("CPU minutes by folder")
        for line in TOTALS.lines():
            terminalreporter.write_line(line)
