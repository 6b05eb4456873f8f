"""The progress of experiments: how many trainings are done, of which experiment, and the time left.

A bar on a terminal; without one, a line every ten seconds. It goes to standard error.
"""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

PLAIN_EVERY = 10.0
"""Seconds between lines when there is no terminal."""


class CellsProgress:
    """Shows it, as a context.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True)
        self._quiet, self._last = quiet, time.monotonic()
        self._progress = Progress(
            SpinnerColumn(),
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._bar = self._progress.add_task("", total=None)

    def __enter__(self) -> CellsProgress:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def told(self, name: str, finished: int, total: int, left: float | None) -> None:
        """So many trainings of all are done, the last one of `name`."""
        ahead = "" if left is None else f", {duration(left)} left"
        self._progress.update(self._bar, completed=finished, total=total, description=f"{name}{ahead}")
        now = time.monotonic()
        if not self._quiet and not self._console.is_terminal and now - self._last > PLAIN_EVERY:
            self._last = now
            self._console.print(f"{finished} of {total} trainings, {name}{ahead}", highlight=False, soft_wrap=True)


def duration(seconds: float) -> str:
    """Such as ``40 s``, ``5 min``, ``1 h 20 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
