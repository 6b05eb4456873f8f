"""Errors with the value, what is allowed and the remedy: one clear line each, and an exit status.

Everything that a user can cause is an :class:`InputError`; the command line prints its one line and exits with 2.

Exit statuses. 0: all is as it should be. 1: a claim is refuted, or something known is no more. 2: bad input. 3:
something could not be decided or completed, and nothing worse happened. 130: interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dpverify.core.printable import visible

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


class DpverifyError(Exception):
    """Any error that dpverify raises on purpose."""

    exit_status = UNDECIDED


class InputError(DpverifyError, ValueError):
    """Bad input: says what was wrong (with the value), what is allowed, and how to mend it.

    Parameters
    ----------
    what : str
        What was wrong, with the offending value.
    allowed : str
        What would have been accepted.
    remedy : str
        What to do now; may be empty when `allowed` already says it.
    """

    exit_status = BAD_INPUT

    def __init__(self, what: str, *, allowed: str, remedy: str = "") -> None:
        self.what, self.allowed, self.remedy = what, allowed, remedy
        super().__init__("; ".join(part for part in (what, f"allowed: {allowed}", remedy) if part))

    def __reduce__(self) -> tuple[Callable[..., InputError], tuple[str, str, str]]:
        """It comes back from worker processes, too."""
        return _input_error, (self.what, self.allowed, self.remedy)


def _input_error(what: str, allowed: str, remedy: str) -> InputError:
    return InputError(what, allowed=allowed, remedy=remedy)


class AuditError(DpverifyError):
    """An audit could not be completed, for a reason that is not the user's typing."""


class ClaimRefuted(DpverifyError, AssertionError):  # noqa: N818 - as people read it in a test's output
    """A claim that was to hold is refuted (`dpverify.AuditResult.check`); the message says by what."""

    exit_status = FAILED


class UnsupportedError(DpverifyError):
    """The asked quantity does not exist for this object (said, never guessed)."""


def one_line(text: str) -> str:
    """Fold a message into one line that prints, so that an error stays one line whatever it quotes."""
    return " ".join(visible(text).split())
