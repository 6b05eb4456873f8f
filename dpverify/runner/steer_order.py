"""Chooses the audits that get the next draws of a steered run, by e-values and counts: those closest to a verdict.

The distance of an audit from a verdict is the smaller of two numbers of draws: those after which its wealth would reach
1/alpha at the growth of its last instalment, and those after which the violation to detect would be detectable (the
detectable excess shrinks like one over the square root of the draws). An audit without draws might be refuted in its
first instalment. Where no distance fits into the rest of the total, audits with the fewest draws are first; ties are
ordered by name.

Validity does not depend on these estimates: e-values stay valid for any choice (`dpverify.runner.steer`). A bad order
only wastes draws. No audit is dropped: the last one in a round may be first in the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

PARTS = 16
"""The first instalment is this fraction of an even share of the total; each further one doubles the draws.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The present state of one audit.

    Attributes
    ----------
    name : str
        The claim's id.
    alpha : float
        Its share of the false-alarm probability, fixed before the run.
    fewest : int
        Pairs of draws below which no instalment can refute.
    first : int
        Pairs of draws of the first instalment.
    claimed, detect : float, float or None
        The claimed value, and the true one that the audit should be able to detect.
    spent : int
        Pairs drawn so far.
    wealth, growth : float
        The wealth that it would stake next, and the growth of the last staked wealth for each pair of draws, in nats.
    largest, detectable : int, float or None
        Pairs of its largest instalment, and the value that this would have detected with 80 % power.
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
        """Pairs of the next instalment: as many as before, so learning the event again at most doubles the cost."""
        return max(self.first, self.spent, self.fewest)

    @property
    def needed(self) -> float:
        """Estimated number of further pairs until a verdict; may be inf."""
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
    """Sort audits by their distance from a verdict, the closest first."""

    def key(one: Standing) -> tuple[float, int, str]:
        needed = one.needed
        return (needed if needed <= left else math.inf, one.spent, one.name)

    return sorted(standings, key=key)


def next_round(ordered: Sequence[Standing], left: int, width: int) -> list[tuple[Standing, int]]:
    """The next round: at most `width` audits with the pairs that each may draw, together at most `left`."""
    found: list[tuple[Standing, int]] = []
    for one in ordered:
        size = min(one.next, left)
        if size >= one.fewest:
            found.append((one, size))
            left -= size
        if len(found) == width:
            break
    return found
