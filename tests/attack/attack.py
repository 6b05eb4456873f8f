"""An attack on the tool itself: what is tried, what must happen, and what did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happened.

    Attributes
    ----------
    happened : str
        In a few words, as it is shown in the table: the exit status and the line that the user saw, say.
    held : bool
        Whether the tool did what `Attack.wanted` says.
    lost : str
        What was lost that should not have been; ``nothing`` where nothing was.
    """

    happened: str
    held: bool
    lost: str = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attack; a file below `cases` lists its own in ``ATTACKS``.

    Attributes
    ----------
    name : str
        What is tried, as a user would say it: "a mechanism that ends its process with status 0".
    wanted : str
        What must happen: "one line, exit status 3".
    run : callable
        Does it in an empty folder of its own and says what happened. It computes `held` from what it saw.
    quick : bool
        Whether every run of the tests does it; the others are for ``make attack``.
    """

    name: str
    wanted: str
    run: Callable[[Path], Outcome]
    quick: bool = True
