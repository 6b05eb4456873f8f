"""The progress of a run and of experiments: a bar, and a line for each running claim; without a terminal, plain lines.

For each claim a run shows the auditor's present step, its progress, the bound so far if reported, draws per second if
counted ("k of n draws"), and the time left. The display goes to standard error; --quiet disables it. No decision uses
the bound so far.
"""

from __future__ import annotations

import math
import re
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from dpverify.core.printable import visible
from dpverify.reporting.formatting import count
from dpverify.runner.row import Row

PLAIN_EVERY = 10.0
"""Seconds between lines when there is no terminal."""

SHOWN = 4
"""Most running claims with a line."""

STEADY = 1.0
"""Seconds after which a speed is shown."""


@dataclass(slots=True)
class _AtWork:
    """A running claim: start of its present auditor, and the progress at that time."""

    doing: str = ""
    since: float = 0.0
    share: float = 0.0
    drawn: int = 0

    def line(self, message: str, share: float) -> str:
        """Message, share, speed and time left of the present auditor."""
        now, found = time.monotonic(), DRAWS.search(message)
        drawn = int(found[1]) if found else 0
        doing = message.partition(":")[0] + (" draws" if found else "")
        if doing != self.doing or share < self.share or drawn < self.drawn:
            self.doing, self.since, self.share, self.drawn = doing, now, share, drawn
        if found:
            message = (
                f"{message[: found.start()]}{count(drawn)} of {count(int(found[2]))} draws{message[found.end() :]}"
            )
        words = [message, f"{share:.0%}"]
        took = now - self.since
        if took >= STEADY and share > self.share:
            words += [f"{count(round((drawn - self.drawn) / took))} draws/s"] if found else []
            words += [f"{duration(took * (1 - share) / (share - self.share))} left"]
        return ", ".join(words)


class _Bar:
    """A bar on standard error, as a context; on a terminal only."""

    def __init__(self, total: int | None, *, quiet: bool) -> None:
        self._console = Console(stderr=True)
        self._bars = self._console.is_terminal and not quiet
        self._plain = not (self._bars or quiet)
        self._begun = self._last = time.monotonic()
        self._progress = Progress(
            SpinnerColumn(),
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._bars,
        )
        self._bar = self._progress.add_task("", total=total)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def _is_due(self) -> bool:
        return time.monotonic() - self._last > PLAIN_EVERY

    def _plainly(self, line: str) -> None:
        if self._plain:
            self._last = time.monotonic()
            self._console.print(Text(visible(line)), soft_wrap=True)


class ProgressDisplay(_Bar):
    """Shows the progress of a run.

    Parameters
    ----------
    total : int
        Total number of claims.
    quiet : bool
        Show nothing.
    """

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        super().__init__(total, quiet=quiet)
        self._total, self._done = total, 0
        self._running: dict[str, _AtWork] = {}
        self._lines: dict[str, str] = {}
        self._lock = threading.Lock()

    def start(self, claim: str) -> None:
        """Show that an audit has begun."""
        with self._lock:
            self._running[claim] = _AtWork()
            self._lines[claim] = ""
            self._show()

    def step(self, claim: str, message: str, share: float) -> None:
        """Show the progress of an audit."""
        with self._lock:
            self._lines[claim] = self._running.setdefault(claim, _AtWork()).line(message, share)
            self._show()
            if self._is_due():
                self._said(f"{claim}: {self._lines[claim]}")

    def finish(self, row: Row) -> None:
        """Show that an audit is finished."""
        with self._lock:
            self._running.pop(row.id, None)
            self._lines.pop(row.id, None)
            self._done += 1
            self._progress.update(self._bar, completed=self._done)
            self._show()
            if self._is_due() or self._done == self._total:
                self._said(f"last {row.id}: {row.verdict.status}")

    def _show(self) -> None:
        """Show the running claims and the estimated time left."""
        lines = [f"{name} {said}".strip() for name, said in sorted(self._lines.items())]
        more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
        text = " | ".join([*self._left(), *lines[:SHOWN], *more])
        self._progress.update(self._bar, description=visible(text)[: max(20, self._console.width - 40)])

    def _left(self) -> list[str]:
        """Estimated time left, from finished claims; empty before the first."""
        left = self._total - self._done
        if not self._done or not left:
            return []
        return [f"{duration((time.monotonic() - self._begun) * left / self._done)} left"]

    def _said(self, what: str) -> None:
        left = "".join(f", {words}" for words in self._left())
        self._plainly(f"{self._done}/{self._total} audited{left}; {what}")


class CellsProgress(_Bar):
    """Shows how many trainings of experiments are done, of which experiment, and the time left.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(None, quiet=quiet)

    def told(self, name: str, finished: int, total: int, left: float | None) -> None:
        """So many trainings of all are done, the last one of `name`."""
        ahead = "" if left is None else f", {duration(left)} left"
        self._progress.update(self._bar, completed=finished, total=total, description=f"{name}{ahead}")
        if self._is_due():
            self._plainly(f"{finished} of {total} trainings, {name}{ahead}")


def duration(seconds: float) -> str:
    """Such as ``40 s``, ``5 min``, ``2 h 30 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


DRAWS = re.compile(r"(\d+) of (\d+) draws")
_WEALTH = re.compile(r"wealth ([0-9.e+-]+|inf)")
_BOUND = re.compile(r"; ([a-z]+) >= ([0-9.e+-]+|inf) so far")


def progress_numbers(message: str) -> dict[str, Any]:
    """``draws``, ``of``, ``wealth``, ``measure`` and ``bound``, as far as the message says them; "inf" for infinity."""
    found: dict[str, Any] = {}
    if draws := DRAWS.search(message):
        found |= {"draws": int(draws[1]), "of": int(draws[2])}
    if wealth := _WEALTH.search(message):
        found["wealth"] = _number(wealth[1])
    if bound := _BOUND.search(message):
        found |= {"measure": bound[1], "bound": _number(bound[2])}
    return found


def _number(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text
