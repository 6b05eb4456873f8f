"""Scores: functions of one output; an event is "the score is above (or not above) a threshold".

Every family of events is given by a score, so that one search over thresholds covers all of them. Coordinates and
simple statistics of a vector (`statistics`) give half-lines. Cells and tables (`tables`) and classifiers (`learned`)
sort parts of the output space by their estimated likelihood ratio, and a threshold then selects the parts with the
largest ratios (Neyman and Pearson; Bichsel et al., DP-Sniper, S&P 2021).

A score may be learned from data. It must then be fixed before the draws on which its event is certified.

Finds exact values that are repeated on one side only, among otherwise continuous outputs.

A mechanism that releases its true answer once in many thousand calls leaks it completely there, and no event that is
common enough for the trials shows it. Continuous noise almost never gives the same double twice. So a value that
occurred twice on one side and never on the other is counted in separate draws: as many as would refute the claim at the
observed rate. The values are chosen on the selection sample and counted in new draws, so the bound is valid.

Limits: a value that occurred once cannot be distinguished from noise; one that needs more than `MOST` times the trials
is only noted. Outputs on a grid and counted outputs have other events (`tables`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Sample
from dpverify.core.subjects import Float
from dpverify.stats.intervals import LARGEST_TRIALS
from dpverify.stats.power import would_refute

SHARE = 0.1
"""Part of the audit's error probability for such values, if there are any; otherwise the main event gets all of it."""

MOST = 16
"""Most draws for them, as a multiple of the trials."""

CONTINUOUS = 0.99
"""The part of the draws that must be unique in each examined column."""

LOOKED_AT, COLUMNS = 2**18, 16
"""Draws a side, and columns, that are examined."""

CAUTION = 0.7
"""Part of the observed rate for which the draws are planned."""


class Score(Protocol):
    """A fixed function of one output."""

    def __call__(self, values: NDArray[Any]) -> Float:
        """Scores of the outputs `values`, shape (m,) or (m, k): shape (m,)."""
        ...

    def text(self, threshold: float, *, above: bool) -> str:
        """The event {score > threshold} (or <= threshold) in words."""
        ...

    def plain(self) -> dict[str, Any]:
        """Plain JSON values that identify the function."""
        ...


ScoresOf = Callable[[Score], Float]
"""The scores of some outputs, by score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Scores of the same outputs, each computed once, since a learned score may use others that are also needed.

    Scores are identified by object identity, so they must outlive this object. The arrays must not be modified.
    """

    values: NDArray[Any]
    found: dict[int, Float] = field(default_factory=dict)

    def of(self, score: Score) -> Float:
        """The score of each output, shape (m,)."""
        if id(score) not in self.found:
            given = getattr(score, "given", None)
            self.found[id(score)] = score(self.values) if given is None else given(self.values, self.of)
        return self.found[id(score)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The set of outputs whose score is above the threshold (or not above it)."""

    score: Score
    threshold: float
    above: bool

    def hits(self, sample: Sample) -> int:
        """How many of the draws lie in the event."""
        over = self.score(sample.values) > self.threshold
        hits = int(np.count_nonzero(over)) if sample.weights is None else int(sample.weights[over].sum())
        return hits if self.above else sample.size - hits

    def text(self) -> str:
        """A description for people."""
        return self.score.text(self.threshold, above=self.above)

    def plain(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"threshold": self.threshold, "above": self.above, **self.score.plain()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinate:
    """The output itself (column None), or one of its coordinates."""

    column: int | None = None

    def __call__(self, values: NDArray[Any]) -> Float:
        """The coordinate."""
        column = values if self.column is None else values[:, self.column]
        return np.asarray(column, dtype=np.float64)

    def text(self, threshold: float, *, above: bool) -> str:
        """``output[2] > 0.5``."""
        name = "output" if self.column is None else f"output[{self.column}]"
        return f"{name} {sign(above)} {threshold:.9g}"

    def plain(self) -> dict[str, Any]:
        """Kind and column."""
        return {"kind": "coordinate", "column": self.column}


def sign(above: bool) -> str:
    """The comparison that an event makes with its threshold."""
    return ">" if above else "<="


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """1 where a coordinate (None for outputs that are numbers) is exactly one of some values, else 0."""

    values: tuple[float, ...]
    column: int | None

    def __call__(self, values: NDArray[Any]) -> Float:
        """1.0 for each output that is one of the values, else 0.0."""
        column = values if self.column is None else values[:, self.column]
        return np.isin(column, self.values).astype(np.float64)

    def text(self, threshold: float, *, above: bool) -> str:
        """``output == 3.25``."""
        name = "output" if self.column is None else f"output[{self.column}]"
        told = f"{name} == {self.values[0]!r}"
        if len(self.values) > 1:
            told = f"{name} is one of {len(self.values)} exact values, {self.values[0]!r} among them"
        return told if above else f"not ({told})"

    def plain(self) -> dict[str, Any]:
        """Kind, column and values."""
        return {"kind": "one-of", "column": self.column, "values": list(self.values)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Values of one side, the event that an output is one of them, and the trials that it needs."""

    event: Event
    direction: int
    """0 where they occurred on d0."""
    seen: int
    of: int
    """`seen`, `of`: number of occurrences, and number of draws."""
    trials: int | None
    """Draws a side that would refute the claim with 80 % power; None where that is more than may be drawn."""

    def plain(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"event": self.event.text(), "seen": self.seen, "of": self.of, "would_take": self.trials}


def most_repeated_on_one_side(sides: Sequence[Sample], goal: Goal, *, trials: int, alpha: float) -> Found | None:
    """The values that occurred most often on one side only; None where there are none.

    Parameters
    ----------
    sides : two Samples
        Samples of d0 and d1 of the same size, which are not used for certification.
    trials, alpha : int, float
        Draws a side and error probability of the whole audit.
    """
    if sides[0].weights is not None:
        return None
    first, second = (side.head(LOOKED_AT) for side in sides)
    best: tuple[int, OneOf, int] | None = None
    for place in range(min(first.width, COLUMNS)):
        column = None if first.values.ndim == 1 else place
        found = [np.unique(side.column(place), return_counts=True) for side in (first, second)]
        if any(values.size < CONTINUOUS * side.size for (values, _), side in zip(found, (first, second), strict=True)):
            continue
        for direction in (0, 1):
            (values, counts), (others, _) = found[direction], found[1 - direction]
            alone = (counts > 1) & ~np.isin(values, others)
            seen = int(counts[alone].sum())
            if seen and (best is None or seen > best[0]):
                best = seen, OneOf(values=tuple(map(float, values[alone])), column=column), direction
    if best is None:
        return None
    seen, score, direction = best
    needed = _needed(CAUTION * seen / first.size, goal, direction, trials=trials, alpha=SHARE * alpha)
    event = Event(score=score, threshold=0.5, above=True)
    return Found(event=event, direction=direction, seen=seen, of=first.size, trials=needed)


def _needed(rate: float, goal: Goal, direction: int, *, trials: int, alpha: float) -> int | None:
    """The smallest of 1, 2, 4 ... times the trials that detects an event of this rate.

    The event is assumed to be impossible on the other side.
    """
    for power in range(MOST.bit_length()):
        n = trials << power
        if n > LARGEST_TRIALS:
            break
        if would_refute(rate, 0.0, n, allowed=goal.allowed(direction), alpha=alpha):
            return n
    return None
