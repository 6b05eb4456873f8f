"""Computing evidence again from the counts in its record: what comes of it, and what a record may lack for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpverify.core.errors import DpverifyError
from dpverify.core.measure import Measure


class LackingError(DpverifyError):
    """The record has too few numbers for its bound to be computed again; the message says which are missing."""


class ContradictionError(DpverifyError):
    """Numbers of one record that cannot all be true; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The bound that the counts of one piece of evidence give again.

    Attributes
    ----------
    measure : Measure
        The point of the claim that they speak of.
    bound, excess : float
        As in Evidence.
    alpha : float
        The error probability that was spent: the confidence is 1 - alpha.
    trials : int
        Draws a side.
    numbers : mapping of str to float
        Others that the statistics print under these names (``a.b`` for one inside another).
    slack : float
        By how much `numbers` may differ, relative, beyond what rounding explains everywhere.
    """

    measure: Measure
    bound: float
    excess: float
    alpha: float
    trials: int
    numbers: Mapping[str, float] = field(default_factory=dict)
    slack: float = 0.0
