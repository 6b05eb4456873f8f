"""Which audits get the next draws of a steered run: those closest to a verdict, by e-values and counts alone.

An audit is as far from a verdict as the fewer of two numbers of draws: those after which its wealth would reach 1/alpha
if it went on growing as in its last instalment, and those after which the violation to detect would show (what an
audit can see shrinks like one over the square root of its draws). One that was never looked at might fall in its first
instalment. Where neither is within what is left of the total, those with the fewest draws come first; ties by name.

Nothing of this is trusted: e-values stay valid whoever is chosen, and however (`dpverify.runner.steer`). A bad order
costs draws only. Not to be confused with dropping audits: whoever is last in one round may be first in the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

PARTS = 16
"""A first instalment is such a part of an even share of the total; each further one is as large as all before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far one audit has come.

    Attributes
    ----------
    name : str
        The claim's id.
    alpha : float
        Its share of the false-alarm probability, fixed before the run.
    fewest : int
        Pairs of draws below which no instalment could refute, whatever came.
    first : int
        Of the first instalment.
    claimed, detect : float, float or None
        The claimed value, and the true one that the audit should be able to detect.
    spent : int
        Pairs drawn so far.
    wealth, growth : float
        What it would stake next, and by how much what it staked last grew a pair, in nats.
    largest, detectable : int, float or None
        Pairs of its largest instalment, and what that would have found with 80 % power.
    """

    name: str
    alpha: float
    fewest: int
    first: int
    claimed: float = 0.0
    detect: float | None = None
    spent: int = 0
    wealth: float = 1.0
    growth: float = 0.0
    largest: int = 0
    detectable: float | None = None

    @property
    def next(self) -> int:
        """Pairs of its next instalment: one that doubled what was drawn costs what learning anew costs, no more."""
        return max(self.first, self.spent, self.fewest)

    @property
    def needed(self) -> float:
        """Pairs from here to a verdict, as far as can be told; may be inf."""
        return float(self.first) if not self.spent else min(self._to_refute(), self._to_power())

    def _to_refute(self) -> float:
        if not (self.growth > 0.0 and self.wealth > 0.0):
            return math.inf
        return max(-math.log(self.alpha * self.wealth), 0.0) / self.growth

    def _to_power(self) -> float:
        if self.detect is None or self.detectable is None or not self.detect > self.claimed:
            return math.inf
        return self.largest * ((self.detectable - self.claimed) / (self.detect - self.claimed)) ** 2


Order = Callable[[Sequence[Standing], int], list[Standing]]
"""Sorts the audits that are still open, the next one first, given what is left of the total."""


def closest(standings: Sequence[Standing], left: int) -> list[Standing]:
    """Those closest to a verdict first."""

    def key(one: Standing) -> tuple[float, int, str]:
        needed = one.needed
        return (needed if needed <= left else math.inf, one.spent, one.name)

    return sorted(standings, key=key)


def allotted(ordered: Sequence[Standing], left: int, width: int) -> list[tuple[Standing, int]]:
    """The next round: at most `width` audits with the pairs that each may draw, no more than `left` together."""
    found: list[tuple[Standing, int]] = []
    for one in ordered:
        size = min(one.next, left)
        if size >= one.fewest:
            found.append((one, size))
            left -= size
        if len(found) == width:
            break
    return found
