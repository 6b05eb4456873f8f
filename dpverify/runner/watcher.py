"""Follows the progress of a run."""

from __future__ import annotations

from typing import Protocol

from dpverify.runner.row import Row


class Watcher(Protocol):
    """Follows the progress of a run; it cannot change any number."""

    def start(self, claim: str) -> None:
        """Called when the audit of a claim begins."""
        ...

    def step(self, claim: str, message: str, share: float) -> None:
        """The audit is at `share` in [0, 1] of its present auditor."""
        ...

    def finish(self, row: Row) -> None:
        """Called when an audit is finished."""
        ...


class Silent:
    """A watcher that shows nothing."""

    def start(self, claim: str) -> None:
        """Show nothing."""

    def step(self, claim: str, message: str, share: float) -> None:
        """Show nothing."""

    def finish(self, row: Row) -> None:
        """Show nothing."""
