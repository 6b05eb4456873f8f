"""Chooses the next bets: events from past draws, the line of the claim for each, and the stakes.

The choice may use all earlier draws, and nothing else. Then the wealth is a supermartingale for any choice; a bad one
costs growth, not validity.

Weights of events and stakes are the wealth that they would have won on the held-back part of the past (a posterior over
slots and stakes). They are mixed with equal weights, since the best-looking event has a selection bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event.scores import Event
from auditors.privacy.event_bounds import direction_text
from auditors.privacy.outputs import Sample
from auditors.privacy.sequential.claim_chain import Target
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Float
from dpverify.stats.e_mixture import FRACTIONS, Settlement

EVEN = 0.05
"""Part of the wealth that is divided equally over all slots and stakes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One event to bet on."""

    source: int
    """Number of the contender (pair of data sets and parameters) of its draws."""
    event: Event
    """The set of outputs."""
    direction: int
    """0 when it is taken to be more likely under d0, else 1."""
    k1: int
    k2: int
    size: int
    """`k1`, `k2`, `size`: counts among `size` earlier draws under P (the more likely side) and under Q."""

    def counted(self, past: Sequence[Sample]) -> Slot:
        """The slot with the counts of further draws, (d0, d1), added."""
        hits = [self.event.hits(sample) for sample in past]
        k1, k2 = self.k1 + hits[self.direction], self.k2 + hits[1 - self.direction]
        return replace(self, k1=k1, k2=k2, size=self.size + past[0].size)

    def counted_with(self, kinds: NDArray[np.int64]) -> Slot:
        """The slot with pairs added, counted by their kinds (neither, Q, P, both: shape (4,))."""
        return replace(
            self,
            k1=self.k1 + int(kinds[2] + kinds[3]),
            k2=self.k2 + int(kinds[1] + kinds[3]),
            size=self.size + int(kinds.sum()),
        )

    @property
    def rates(self) -> tuple[float, float]:
        """Estimates of p and q, inside (0, 1)."""
        return (self.k1 + 0.5) / (self.size + 1.0), (self.k2 + 0.5) / (self.size + 1.0)

    @property
    def shares(self) -> tuple[float, float]:
        """The plain shares of draws."""
        return self.k1 / self.size, self.k2 / self.size


def growth(p: float, q: float, slopes: Float, deltas: Float) -> Float:
    """Expected logarithm of each stake's factor on lines of any shape: that shape and (stakes,)."""
    slopes, deltas = slopes[..., None], deltas[..., None]
    stake = FRACTIONS / (slopes + deltas)
    return np.asarray(
        (1 - p) * (1 - q) * np.log1p(-stake * deltas)
        + (1 - p) * q * np.log1p(-stake * (slopes + deltas))
        + p * (1 - q) * np.log1p(stake * (1.0 - deltas))
        + p * q * np.log1p(stake * (1.0 - slopes - deltas))
    )


def bets(slots: Sequence[Slot], target: Target) -> Settlement:
    """For each slot and claim of the chain, the line with the largest growth, and weights by past growth.

    AuditError for an event in a direction that the target does not bound: its wealth would be no supermartingale.
    """
    if any(target.direction not in (None, slot.direction) for slot in slots):
        raise AuditError("a bet in a direction of which the claim says nothing")
    t, deltas = target.lines
    slopes = np.exp(t)
    claims = np.arange(t.shape[0])
    chosen, heights, past = [], [], []
    for slot in slots:
        best = np.argmax(growth(*slot.rates, slopes, deltas).max(axis=2), axis=1)
        chosen.append(slopes[claims, best])
        heights.append(deltas[claims, best])
        past.append(slot.size * growth(*slot.shares, chosen[-1], heights[-1]))
    logs = np.stack(past, axis=1)
    weights = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
    weights /= weights.sum(axis=(1, 2), keepdims=True)
    weights = (1.0 - EVEN) * weights + EVEN / (weights.shape[1] * weights.shape[2])
    weights /= weights.sum(axis=(1, 2), keepdims=True)
    return Settlement(
        slopes=np.stack(chosen, axis=1), deltas=np.stack(heights, axis=1), weights=weights, fractions=FRACTIONS
    )


def expected_growth(slot: Slot, target: Target) -> float:
    """Expected growth of the log-wealth for each pair of draws against the claim itself, by the slot's past."""
    return float(growth(*slot.rates, *target.claimed_lines()).max())


def weakest(slots: Sequence[Slot], candidates: Sequence[Target]) -> Target:
    """The target with the largest past growth of some slot; the headline where no growth is significant."""

    def made(target: Target) -> float:
        able = [slot for slot in slots if target.direction in (None, slot.direction)]
        return max((slot.size * expected_growth(slot, target) for slot in able), default=0.0)

    best = max(candidates, key=made)
    return best if made(best) > made(candidates[0]) + 1.0 else candidates[0]


def plain_block(slots: Sequence[Slot], settlement: Settlement, counts: NDArray[np.int64], at: int) -> dict[str, Any]:
    """A block as plain JSON values, from which the wealth against each claim of the chain can be computed again.

    `counts`: of the four kinds of pairs, shape (slots, 4). The weights are those against claim `at`; the others follow
    from each slot's earlier counts (``past``: k1, k2, size) by `bets`.
    """
    return {
        "pairs": int(counts[0].sum()),
        "slots": [
            {
                "contender": slot.source,
                "event": slot.event.text(),
                "direction": direction_text(slot.direction),
                "past": [slot.k1, slot.k2, slot.size],
                "slope": float(settlement.slopes[at, k]),
                "delta": float(settlement.deltas[at, k]),
                "weights": settlement.weights[at, k].tolist(),
                "counts": counts[k].tolist(),
            }
            for k, slot in enumerate(slots)
        ],
    }
