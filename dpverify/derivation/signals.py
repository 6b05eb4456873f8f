"""How control leaves a block."""

from __future__ import annotations

from typing import Any


class ReturnSignal(Exception):  # noqa: N818 - it is no error
    """A return statement."""

    def __init__(self, value: Any) -> None:
        self.value = value


class BreakSignal(Exception):  # noqa: N818 - it is no error
    """A break statement."""


class ContinueSignal(Exception):  # noqa: N818 - it is no error
    """A continue statement."""
