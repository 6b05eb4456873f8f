"""Exit statuses of every command, in one table.

0: all is as it should be. 1: a claim is refuted, or something known is no more. 2: bad input. 3: something could not be
decided or completed, and nothing worse happened. 130: interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable

FAILED, BAD_INPUT, UNDECIDED, INTERRUPTED = 1, 2, 3, 130

STATUS = {
    "refuted": FAILED,
    "surprise": FAILED,
    "MISSED": FAILED,
    "FAILED": FAILED,
    "differs": FAILED,
    "below": FAILED,
    "worse": FAILED,
    "error": UNDECIDED,
    "unsupported": UNDECIDED,
    "inconclusive": UNDECIDED,
    "incomplete": UNDECIDED,
    "unfinished": UNDECIDED,
    "not seen": UNDECIDED,
    "untested": UNDECIDED,
}
"""By the word in which a command says what became of a claim, a row, or a file; 0 for every other word."""


def exit_status(words: Iterable[str]) -> int:
    """The status of a command that said these words: 1 before 3 before 0."""
    found = {STATUS.get(str(word), 0) for word in words}
    return FAILED if FAILED in found else UNDECIDED if UNDECIDED in found else 0
