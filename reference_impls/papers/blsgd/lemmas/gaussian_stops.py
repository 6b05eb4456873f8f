"""BL-SVT-GAUSS-RDP-R: NoisyBTLS with Gaussian noise against a bound that depends on max_it.

The bound is the least of the three of :mod:`dpverify.accounting.stopping_gaussian`; ``bound="theorem"`` replaces it
by formula (5), for comparison, which is refuted in readings (b) and (c). The truth is the divergence of exact laws on
two families of pairs, the worst that were found for Theorem 3 (levels in scales of a query's noise, moves in Delta):

- losses, reading (a) in [0, Delta], (b) in [-Delta, Delta]: all candidates but the last at one level, where a record
  has loss `before`, the last at another, where it has `after`; the record has `loss` at w, so queries move by the
  differences;
- arbitrary queries, (c): `STRIPES` levels that rise evenly, fewer and fewer queries on each, moving
  alternately up and down.

A search through these families, not through all pairs: the exact auditor goes through more at one budget. A proof is
one of a lower bound (outcomes merged).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.stopping_gaussian import MOVES, sound_bound
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import LawPair
from dpverify.laws.stopping import StoppingLaw

Float = NDArray[np.float64]
STRIPES = 16
LOW = {"losses": 0.0, "bounded": -1.0}


def stripes(size: int, count: int, ends: tuple[float, float], growth: float) -> tuple[Float, Float]:
    """Levels that rise evenly in `count` stripes, fewer and fewer queries each, moving up and down by turns."""
    weights = np.exp(np.linspace(growth, 0.0, count))
    lengths = np.maximum(1, np.round(size * weights / weights.sum())).astype(int)
    levels = np.repeat(np.linspace(*ends, count), lengths)
    return levels, np.repeat(np.where(np.arange(count) % 2 == 0, 1.0, -1.0), lengths)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianStops(Checked):
    """One search on a pair of the family.

    Attributes
    ----------
    queries : "losses", "bounded" or "arbitrary"
        The reading.
    rho, order, max_it : float
        rho_BT; order above 1; candidates, rounded (stripes round it again, to a few more or less).
    level, last : float
        Of all candidates but the last, and of the last; of the lowest and the highest stripe.
    loss, before, after : float
        As above.
    growth : float
        log of the first stripe's length over the last one's, >= 0.
    bound : "sound" or "theorem"
        What is printed.
    """

    queries: Literal["losses", "bounded", "arbitrary"] = "losses"
    rho: Annotated[float, Between(1e-9, 100)] = 2e-6
    order: Annotated[float, Between(1 + 1e-6, 512)] = 2.0
    max_it: Annotated[float, Between(1, 10_000)] = 30.0
    level: Annotated[float, Between(-40, 40)] = 0.0
    last: Annotated[float, Between(-40, 40)] = 0.0
    loss: float = 1.0
    before: float = 0.0
    after: float = 1.0
    growth: Annotated[float, Between(0, 10)] = 0.0
    bound: Literal["sound", "theorem"] = "sound"

    def validate(self) -> None:
        """The three losses lie in the range that `queries` allows."""
        losses = Between(LOW.get(self.queries, 0.0), 1.0)
        for name in ("loss", "before", "after"):
            losses.checked(f"{self.called()}: {name}", getattr(self, name))

    @property
    def scales(self) -> tuple[float, float]:
        """The standard deviations sigma_1 and sigma_2."""
        return math.sqrt(1.5 / self.rho), math.sqrt(3.0 / self.rho)

    def pair(self) -> tuple[Float, Float]:
        """Levels, in Delta, and moves."""
        size, unit = round(self.max_it), self.scales[1]
        if self.queries == "arbitrary":
            levels, moves = stripes(size, STRIPES, (self.level, self.last), self.growth)
            return levels * unit, moves
        levels, moves = np.full(size, self.level * unit), np.full(size, self.loss - self.before)
        levels[-1], moves[-1] = self.last * unit, self.loss - self.after
        return levels, moves

    def _laws(self) -> tuple[LawPair, LawPair]:
        levels, moves = self.pair()
        with_it, without = (
            StoppingLaw(noise="gaussian", threshold_scale=self.scales[0], query_scale=self.scales[1], levels=at)
            for at in (levels + moves, levels)
        )
        return with_it.against(without), without.against(with_it)

    def printed(self) -> Enclosed:
        """The bound at this max_it (stripes: at the number of queries that they make)."""
        if self.bound == "theorem":
            return Enclosed(value=self.order * self.rho)
        first, second = self.scales
        size = self.pair()[0].size
        moves = MOVES[self.queries]
        return Enclosed(value=sound_bound(self.order, sigma_1=first, sigma_2=second, max_it=size, moves=moves))

    def truth(self) -> Enclosed:
        """The divergence in the larger direction."""
        return max((pair.renyi(self.order) for pair in self._laws()), key=lambda found: found.value)

    def proved_ratio(self) -> Enclosed | None:
        """A proved lower bound on the divergence over the printed number."""
        measure = Measure(kind="renyi", argument=self.order, claimed=0.0)
        proofs = [proof for pair in self._laws() if (proof := pair.prove(measure)) is not None and proof.proved]
        if not proofs:
            return None
        best, over = max(proofs, key=lambda proof: proof.lower), self.printed().value
        return Enclosed(value=best.value / over, error=best.error / over * (1 + 1e-12) + 1e-15, proved=True)
