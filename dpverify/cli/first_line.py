"""What subjects print: its first lines are shown and the others are counted, for calls are many."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, TextIO

LINES = 50
"""Lines of standard error that are shown."""

LONGEST = 1000
"""Characters of a line that are shown."""


class FirstLine:
    """A stream that shows `most` lines on the stream `below`, and is like that one in all else."""

    def __init__(self, below: TextIO, most: int = 1) -> None:
        self.below, self._most, self._owner = below, most, os.getpid()
        self._lines = self._column = self._more = self._cut = 0

    @property
    def buffer(self) -> FirstLine:
        """Bytes are written to the same place."""
        return self

    def hear(self, part: bytes) -> None:
        """Show text that came from elsewhere, if that can be done."""
        with suppress(OSError, ValueError, AttributeError):
            self.write(part)
            self.below.flush()

    def write(self, text: str | bytes) -> int:
        """Show what belongs to the first lines."""
        rest = text if isinstance(text, str) else bytes(text).decode(errors="replace")
        while rest and self._lines < self._most:
            line, end, rest = rest.partition("\n")
            shown = line if self._most > LINES else line[: max(0, LONGEST - self._column)]
            self.below.write(shown + end)
            self._cut += len(line) - len(shown)
            self._lines, self._column = self._lines + len(end), 0 if end else self._column + len(line)
        self._more, self._cut = self._more + rest.count("\n"), self._cut + len(rest)
        return len(text)

    def writelines(self, lines: Iterable[str | bytes]) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)

    def tell_the_rest(self) -> None:
        """Say how much was not shown, in the process that has shown the first."""
        if self._cut and self._owner == os.getpid():
            more, what = (self._more, "line") if self._more else (self._cut, "character")
            words = f"{more} more {what}{'s were' if more > 1 else ' was'} printed, and not shown"
            with suppress(OSError, ValueError, AttributeError):
                self.below.write(f"{chr(10) * (self._column > 0)}dpverify: {words}\n")
                self.below.flush()
