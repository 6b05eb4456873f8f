"""Follows the progress of a run."""

from __future__ import annotations

from typing import Protocol

from dpverify.runner.plan import Unit
from dpverify.runner.row import Row


class Watcher(Protocol):
    """Follows the progress of a run; it cannot change any number."""

    def start(self, unit: Unit) -> None:
        """Called when an audit unit begins."""
        ...

    def step(self, unit: Unit, message: str, share: float) -> None:
        """A unit is at `share` in [0, 1] of its present auditor."""
        ...

    def finish(self, unit: Unit, row: Row) -> None:
        """Called when an audit unit is finished."""
        ...


class Silent:
    """A watcher that shows nothing."""

    def start(self, unit: Unit) -> None:
        """Show nothing."""

    def step(self, unit: Unit, message: str, share: float) -> None:
        """Show nothing."""

    def finish(self, unit: Unit, row: Row) -> None:
        """Show nothing."""
