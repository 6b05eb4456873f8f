"""What is said beside a verdict: words, pictures, notes, pages. A fault in any of them is told, and takes nothing else.

The verdict rests on counts. Whatever turns it into text runs through `Telling`, so that a fault there leaves out that
text alone. The type of the error and its place are told, and never its message, which may quote the user's data.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from dpverify.core.errors import DpverifyError, one_line

T = TypeVar("T")
D = TypeVar("D")


@dataclass(slots=True)
class Telling:
    """Calls what tells a result, and collects its faults.

    Attributes
    ----------
    faults : list of str
        One line for each text that could not be made.
    quotes : bool
        Whether messages of our own errors are told: only where no data of the user are near.
    """

    faults: list[str] = field(default_factory=list)
    quotes: bool = False

    def __call__(self, what: str, tell: Callable[[], T], otherwise: D) -> T | D:
        """Return what `tell` returns; `otherwise`, and a line on `what` in `faults`, where it raises an exception."""
        try:
            return tell()
        except BrokenPipeError:  # nobody reads any more: the command line ends as programs do then
            raise
        except Exception as problem:  # noqa: BLE001 - whatever it is, it must not replace a verdict
            own = self.quotes and isinstance(problem, DpverifyError)
            why = one_line(str(problem)) if own else _place(problem)
            self.faults.append(f"{what} could not be made ({why}); the verdict and its numbers stand")
            return otherwise


def _place(problem: Exception) -> str:
    """Such as ``IndexError in event_words.py, line 105``."""
    frames = traceback.extract_tb(problem.__traceback__)
    at = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(problem).__name__}{at}"
