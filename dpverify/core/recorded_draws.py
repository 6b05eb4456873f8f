"""Capability of a mechanism that is known by draws that were made already: there are so many, and no more come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

CHOOSING, MOST_CHOOSING = 3, 2**17
"""One draw in so many, and at most so many a side, choose what the others count."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RecordedDraws:
    """Outputs on d0 and on d1, in two parts that share no draw; shapes (n,) or (n, k), as many on both sides."""

    choosing: tuple[NDArray[Any], NDArray[Any]]
    """May be looked at as often as one likes."""
    counting: tuple[NDArray[Any], NDArray[Any]]
    """Count what the others chose, once."""


@runtime_checkable
class HasDraws(Protocol):
    """Capability: draws that were recorded, parted beforehand."""

    def recorded_draws(self) -> RecordedDraws:
        """The draws are the same every time."""
        ...


def choosing_of(draws: int) -> int:
    """Return how many of the draws of a side choose."""
    return min(draws // CHOOSING, MOST_CHOOSING)


def draws_for(counting: int) -> int:
    """The fewest draws of a side of which so many count."""
    found = counting + min(counting // (CHOOSING - 1), MOST_CHOOSING)
    while found - choosing_of(found) < counting:
        found += 1
    return found
