"""The runs in a store, and their outcomes in short."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["open", "done", "cut"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run in a store.

    Attributes
    ----------
    number : int
        Number of the run, from 1, in the order in which runs began.
    suite : str
        Name of the suite.
    words : mapping
        The arguments that the plan is made from.
    provenance : mapping of str to str
        Versions and digests of the code and packages that the numbers depend on.
    begun : float
        Seconds since 1970.
    ended : float or None
        Seconds since 1970; None while it runs, and after a kill.
    state : str
        ``open`` (running or killed), ``cut`` (stopped by a limit or by hand) or ``done``.
    intact : bool or None
        Whether the checksum matches; None for a run without one (store version 1).
    """

    number: int
    suite: str
    words: Mapping[str, Any]
    provenance: Mapping[str, str]
    begun: float
    ended: float | None
    state: State
    intact: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSummary:
    """Summary of a record for the history; `intact` as in `Run`."""

    run: int
    claim: str
    verdict: str
    surprise: bool
    seconds: float
    intact: bool | None


def record_summary(
    run: int, claim: str, verdict: str, surprise: int | bool, seconds: float | None, *, intact: bool | None
) -> RecordSummary:
    """A record's summary, from the cells of a table row."""
    timed = float(seconds or 0.0)
    return RecordSummary(run=run, claim=claim, verdict=verdict, surprise=bool(surprise), seconds=timed, intact=intact)
