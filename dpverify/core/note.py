"""Notes: what is said beside a verdict, each of a kind, so that nothing reads a sentence to learn what it is about.

In records a note is one line, ``assumed: a record is float(0, 1)``. Nothing but `note_of` takes such a line apart.

What is said beside a verdict: words, pictures, notes, pages. A fault in any of them is told, and takes nothing else.

The verdict rests on counts. Whatever turns it into text runs through `Telling`, so that a fault there leaves out that
text alone. The type of the error and its place are told, and never its message, which may quote the user's data.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from dpverify.core.errors import DpverifyError, one_line

ONE_BY_ONE = "each draw was made by a call of its own with size=1, which the verdict is about"


T = TypeVar("T")
D = TypeVar("D")


class Kind(StrEnum):
    """A note is about one of these."""

    PLAIN = "note"
    ASSUMED = "assumed"
    DRAWS = "draws"
    STEPS = "steps"
    NOISE = "noise"
    RAISED = "raised"
    CONTRADICTED = "false proof"
    """An audit refutes what was proved from the code: an assumption of the proof is false."""
    ABOVE = "above"
    """More was derived from the code than is claimed, which refutes nothing."""
    UNPROVED = "no proof"
    """The line of the code that stands in the way of a proof, and what to state or write."""
    WEAK = "weak"
    LEFT = "left"
    SHRINK = "shrink"
    OUTSIDE = "outside"
    UNTRIED = "untried"
    NOT_TOLD = "not told"
    EVIDENCE = "evidence"
    REGRESSION = "regression"
    WARNING = "warning"
    REACH = "reach"
    """What the draws will not detect, said before they are made."""
    EVIDENCE_LOST = "evidence lost"
    REGRESSION_LOST = "regression lost"
    REPEATED = "repeated"
    """No evidence was added: an earlier session has the same draws."""
    BATCH = "batch"
    """Draws of a batch depend on one another, so each was a call of its own."""
    ERRORS = "errors"
    """Exceptions are outputs."""
    SEED = "seed"
    """Whether a seed gives the result back."""


SMALL_LOOP = (
    "a training loop is audited small: fewer records, a higher sampling rate, fewer steps, and the claim of that loop "
    "(How-to, Shrink your loop: docs/howto/shrink-your-loop.md), and one step of it by `dpverify check-training` "
    "(docs/howto/training-step.md)"
)
"""The remedy that every audit of a trainer names where it could have seen little."""

LINES = {
    Kind.PLAIN: ("", ""),
    Kind.REACH: ("draws", " will not detect "),
    Kind.EVIDENCE_LOST: ("evidence", "not saved: "),
    Kind.REGRESSION_LOST: ("regression", "not saved: "),
    Kind.BATCH: ("", ONE_BY_ONE),
    Kind.ERRORS: ("", "exceptions are outputs"),
    Kind.REPEATED: ("", ""),
    Kind.SEED: ("", ""),
}
"""Before the colon, and words by which a line is told from others: where these are not the kind, and nothing."""


LOST = (Kind.EVIDENCE_LOST, Kind.REGRESSION_LOST)
"""What could not be saved."""

BY_LABEL = {str(kind): kind for kind in Kind if kind not in LINES}


@dataclass(frozen=True, slots=True)
class Note:
    """A line that is said beside a verdict; as text it is the line of a record."""

    kind: Kind
    text: str

    @property
    def label(self) -> str:
        """Return the word before the text; empty for kinds that readers do not name."""
        return LINES.get(self.kind, (str(self.kind), ""))[0]

    def __str__(self) -> str:
        return f"{self.label}: {self.text}" if self.label else self.text


def plain_notes(*texts: str) -> tuple[Note, ...]:
    """Notes of no kind that anything asks for."""
    return tuple(Note(Kind.PLAIN, text) for text in texts)


def note_of(line: str) -> Note:
    """The note of a record's line."""
    label, colon, text = line.partition(": ")
    named = BY_LABEL.get(label) if colon else None
    for kind, (before, mark) in LINES.items():
        # A label is ours; words may stand in somebody's exception, too.
        if mark and mark in line and before == (label if named or before else ""):
            return Note(kind, text if before else line)
    return Note(Kind.PLAIN, line) if named is None else Note(named, text)


@dataclass(slots=True)
class Telling:
    """Calls what tells a result, and collects its faults."""

    faults: list[str] = field(default_factory=list)
    """One line for each text that could not be made."""
    quotes: bool = False
    """Whether messages of our own errors are told: only where no data of the user are near."""

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
