"""Events of noisy values that all lie beyond their noise-free values, or beyond a plane: words with the thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LISTED = 4
"""Most values that a text names; others are only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One noisy value whose noise-free value differs between the data sets.

    Attributes
    ----------
    name : str
        Of the step, with the coordinate.
    here, there : float
        The noise-free values on the data set where the event is more likely, and on the other.
    scale : float
        Of the noise.
    """

    name: str
    here: float
    there: float
    scale: float

    @property
    def ratio(self) -> float:
        """The shift in units of the scale."""
        return abs(self.here - self.there) / self.scale


def all_beyond(moved: Sequence[Moved], law: str) -> str:
    """Each value lies beyond its noise-free value, seen from where the other data set has it."""
    listed = " and ".join(f"{each.name} {_side(each)} {each.here:.9g}" for each in moved[:LISTED])
    left = len(moved) - LISTED
    more = f", and {left} more {law} values lie beyond their own noise-free values, too" if left > 0 else ""
    return f"{listed}{more}"


def beyond_plane(moved: Sequence[Moved], edge: float) -> str:
    """The most telling half-space of Gaussian values: `edge` standard deviations beyond the first noise-free values."""
    if len(moved) == 1:
        (one,) = moved
        toward = 1.0 if one.here >= one.there else -1.0
        return f"{one.name} {_side(one)} {one.here + toward * edge * one.scale:.9g}"
    length = math.hypot(*(each.ratio for each in moved))
    weights = [(each.here - each.there) / each.scale**2 / length for each in moved]
    threshold = math.fsum(weight * each.here for weight, each in zip(weights, moved, strict=True)) + edge
    largest = sorted(zip(weights, moved, strict=True), key=lambda each: -each[1].ratio)
    listed = [f"{weight:.6g} {each.name}" for weight, each in largest]
    left = len(moved) - LISTED
    more = f" + {left} more terms (weights: shift over variance)" if left > 0 else ""
    return f"{' + '.join(listed[:LISTED])}{more} > {threshold:.9g}".replace("+ -", "- ")


def _side(moved: Moved) -> str:
    return ">" if moved.here >= moved.there else "<"
