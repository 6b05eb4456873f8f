"""The chain of claims that a sequential audit bets against: one measure, at values from near 0 to the largest provable.

The claim itself is in the chain with a value slightly above the claimed one, so that "refuted" and "the bound is above
the claimed value" mean the same. Each value of the measure implies a curve, delta(t) for every slope e^t, and a bet may
use any of its lines; both directions and an event's complement (t < 0) are included.

A guarantee with more than its headline measure (several Rényi orders, any trade-off curve) is tested at one of its
points: the one that looks weakest after a few blocks without bets. From then on the point is fixed.

Side of the error: lines are moved outward by more than the rounding of profiles.

A journal passes evidence from one session to the next; a session is one run of the audit, and e-values of sessions are
multiplied. `dpverify.runner.evidence_file.EvidenceFile` is a journal in a file; an audit without one is independent of
others. The record of an audit has the result, the journal the state that the next session continues.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import corner_profile
from dpverify.definitions.rdp import RDP
from dpverify.stats.betting import LARGEST_EPSILON

KINDS = ("epsilon", "delta", "renyi", "mu")
BELOW, ABOVE = 19, 20
FEW_BELOW, FEW_ABOVE = 4, 6
"""Numbers of values of the chain below and above the claimed one; fewer where curves are slow to compute (Rényi)."""

HAIR = 1e-12
CORNERS = np.linspace(-1.0, 1.0, 17)
"""Slopes t through the corner of an (epsilon, delta) curve, as multiples of epsilon."""

POSITIVE = np.array([0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0])
SLOPES = np.concatenate([-POSITIVE[::-1], [0.0], POSITIVE])
"""Slopes t of other curves."""

OUTWARD = 1e-12
"""Relative and absolute amounts added to delta(t), above the rounding error of any profile."""

LEAST_FACTOR = 1e-3


@dataclass(frozen=True, kw_only=True)
class Target:
    """One measure of a guarantee, with the chain of its values."""

    measure: Measure
    """The bounded measure, with the claimed value."""
    direction: int | None = None
    """0 or 1 where bets are only on events more likely under d0 (or d1); None for both."""
    most: float
    """The largest value of the chain."""

    @cached_property
    def values(self) -> Float:
        """The increasing values of the chain, shape (g,); at `place` slightly above the claimed value."""
        claimed = self.measure.claimed
        below, above = (FEW_BELOW, FEW_ABOVE) if self.measure.kind == "renyi" else (BELOW, ABOVE)
        first = claimed + HAIR * max(claimed, LEAST_FACTOR)
        last = max(self.most, first * (1 + 1e-9))
        smaller = claimed * np.arange(1, below + 1) / (below + 1.0) if claimed > 0 else np.empty(0)
        larger = first + (last - first) * np.linspace(0.0, 1.0, above + 1)[1:] ** 2
        return np.concatenate([smaller, [first], larger])

    @cached_property
    def place(self) -> int:
        """Index of the claim in the chain."""
        return int(np.searchsorted(self.values, self.measure.claimed, side="right"))

    @cached_property
    def lines(self) -> tuple[Float, Float]:
        """The lines p <= e^t q + delta(t) of every value: t and delta, each of shape (g, lines)."""
        rows = [_implied(self.measure, self.direction, value) for value in self.values.tolist()]
        return np.stack([t for t, _ in rows]), np.stack([delta for _, delta in rows])

    def claimed_lines(self) -> tuple[Float, Float]:
        """The lines of the claim itself: slopes e^t and deltas, each of shape (lines,)."""
        t, delta = _implied(self.measure, self.direction, float(self.values[self.place]))
        return np.exp(t), delta

    def lines_at(self, part: float) -> tuple[Float, Float]:
        """The lines of the claim with a multiple of the claimed value."""
        t, delta = _implied(self.measure, self.direction, part * self.measure.claimed)
        return np.exp(t), delta

    def words(self) -> dict[str, Any]:
        """Description of the chain, as plain JSON values."""
        measure = self.measure
        return {
            "kind": measure.kind,
            "argument": None if math.isnan(measure.argument) else measure.argument,
            "claimed": measure.claimed,
            "direction": self.direction,
            "most": self.most,
        }


@lru_cache(maxsize=1024)
def _implied(measure: Measure, direction: int | None, value: float) -> tuple[Float, Float]:
    """The lines that hold when the measure is at most `value`: t and delta(t)."""
    if direction is not None:
        return np.array([measure.argument]), _outward(np.array([value]))
    if measure.kind == "epsilon":
        t = value * CORNERS
        return t, _outward(corner_profile(t, value, measure.argument))
    if measure.kind == "delta":
        t = measure.argument * CORNERS if measure.argument > 0 else np.zeros(1)
        return t, _outward(corner_profile(t, measure.argument, min(value, 1.0)))
    family: PrivacyGuarantee = GDP(mu=value) if measure.kind == "mu" else RDP(order=measure.argument, epsilon=value)
    return SLOPES, _outward(family.delta(SLOPES))


def _outward(delta: Float) -> Float:
    return np.minimum(delta * (1.0 + OUTWARD) + OUTWARD * 1e-3, 1.0)


def profile(guarantee: PrivacyGuarantee, direction: int) -> Float:
    """delta(t) of the guarantee at `SLOPES`; cached, since it is slow for many orders."""
    if isinstance(guarantee, Hashable):
        return _profile(guarantee, direction)
    return np.asarray(guarantee.delta(SLOPES, reverse=bool(direction)), dtype=np.float64)


@lru_cache(maxsize=64)
def _profile(guarantee: Hashable, direction: int) -> Float:
    assert isinstance(guarantee, PrivacyGuarantee)
    return np.asarray(guarantee.delta(SLOPES, reverse=bool(direction)), dtype=np.float64)


def single(guarantee: PrivacyGuarantee) -> bool:
    """Whether the guarantee equals its headline measure at the claimed value."""
    head = guarantee.measures()[0]
    if isinstance(guarantee, GDP):
        return True
    return head.kind in ("epsilon", "renyi") and all(
        measure.kind == "delta" and measure.argument == head.claimed for measure in guarantee.measures()[1:]
    )


def targets(guarantee: PrivacyGuarantee, *, most: float) -> list[Target]:
    """All points at which the guarantee may be tested, the headline first.

    `most` is the largest epsilon that the trials could show.
    """
    found = [Target(measure=measure, most=_most(measure, most)) for measure in guarantee.measures()]
    if single(guarantee):
        return found[:1]
    for direction in (0, 1):
        for t, delta in zip(SLOPES.tolist(), profile(guarantee, direction).tolist(), strict=True):
            if t >= 0.0 and 0.0 < delta < 1.0:
                measure = Measure(kind="delta", argument=t, claimed=delta)
                found.append(Target(measure=measure, direction=direction, most=1.0))
    return found


def _most(measure: Measure, epsilon: float) -> float:
    """The largest value of the chain: `epsilon` for pure DP, and an equivalent value for other measures."""
    if measure.kind == "delta":
        return 1.0
    if measure.kind == "mu":
        return max(2.0 * measure.claimed, math.sqrt(2.0 * epsilon), epsilon)
    return max(epsilon, 2.0 * measure.claimed)


def check_claimed(measure: Measure) -> None:
    """Raise InputError where no number of pairs could refute the claimed value."""
    level = measure.argument if measure.kind == "delta" else measure.claimed
    if level > LARGEST_EPSILON / 2:
        raise InputError(
            f"betting against {measure.label()} = {measure.claimed:g}",
            allowed="a claim that pairs of draws could refute",
            remedy="use an exact method instead of sampling",
        )


class EvidenceJournal(Protocol):
    """Evidence of earlier sessions to read, and of the present one to write."""

    @property
    def chain(self) -> Mapping[str, Any]:
        """The chain of claims of earlier sessions; empty without any."""
        ...

    @property
    def peaks(self) -> tuple[float, ...]:
        """The highest product of e-values so far, for each claim of the chain."""
        ...

    @property
    def wealth(self) -> Float:
        """The product of earlier sessions' e-values, for each claim of the chain."""
        ...

    @property
    def count(self) -> int:
        """Number of sessions, including this one."""
        ...

    def begin(self) -> None:
        """Enter this session before its first draw."""
        ...

    def drew(self, first: tuple[str, str]) -> None:
        """Enter the digests of the first block before any bet; refuse draws of an earlier session."""
        ...

    def note(
        self,
        *,
        chain: Mapping[str, Any],
        e_values: Float,
        wealth: Float,
        peaks: Float,
        pairs: int,
        done: bool,
        witness: Mapping[str, Any],
    ) -> None:
        """Enter the session's present state."""
        ...

    def witness(self, place: int, *, least: float) -> Mapping[str, Any]:
        """The event and pair of the session in which the product against a claim of the chain reached `least`."""
        ...
