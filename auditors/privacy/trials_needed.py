"""How many trials a sampling method needs to be able to refute a claim at all, and the errors that say so."""

from __future__ import annotations

from collections.abc import Callable

from dpverify.core.errors import InputError
from dpverify.stats.intervals import LARGEST_TRIALS

FEWEST_TRIALS = 100
"""Fewest draws a side for counting an event."""


def fewest_trials(refutable: Callable[[int], bool], *, least: int, claim: str) -> int:
    """The fewest trials a side, at least `least`, with which a perfect attack refutes; InputError if there are none.

    Parameters
    ----------
    refutable : callable
        Whether a number of trials a side suffices; monotone.
    claim : str
        The guarantee's text, for the error.
    """
    low, high = least - 1, least
    while not refutable(high):
        if high == LARGEST_TRIALS:
            raise InputError(
                f"sampling for {claim}",
                allowed=f"nothing: even {LARGEST_TRIALS} trials could not refute it",
                remedy="use an exact method instead of sampling",
            )
        low, high = high, min(2 * high, LARGEST_TRIALS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refutable(middle) else (middle, high)
    return high


def too_few_trials(trials: int, fewest: int, *, claim: str, alpha: float, by: str = "") -> InputError:
    """The error of an audit that could refute nothing; `by` names the kind of bound, if it is not any event."""
    return InputError(
        f"{trials} trials a side cannot refute {claim} at confidence {1 - alpha:.6g}{by}, whatever the mechanism does",
        allowed=f"at least {fewest} trials (more for a violation that is not total)",
        remedy=f"pass trials={fewest} or more, or a lower confidence",
    )
