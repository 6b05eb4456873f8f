"""The Protocol of a report format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Writer(Protocol):
    """One report format."""

    @property
    def name(self) -> str:
        """Format name as ``--format`` takes it."""
        ...

    def write(self, results: Iterable[Any], folder: Any, *, title: str) -> Any:
        """Write the report below `folder` (complete or not at all) and return the path."""
        ...
