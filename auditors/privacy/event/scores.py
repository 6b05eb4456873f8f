"""Scores: functions of one output; an event is "the score is above (or not above) a threshold".

Every family of events is given by a score, so that one search over thresholds covers all of them. Coordinates and
simple statistics of a vector (`statistics`) give half-lines. Cells and tables (`tables`) and classifiers (`learned`)
sort parts of the output space by their estimated likelihood ratio, and a threshold then selects the parts with the
largest ratios (Neyman and Pearson; Bichsel et al., DP-Sniper, S&P 2021).

A score may be learned from data. It must then be fixed before the draws on which its event is certified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.outputs import Sample
from dpverify.core.subjects import Float


class Score(Protocol):
    """A fixed function of one output."""

    def __call__(self, values: NDArray[Any]) -> Float:
        """Scores of the outputs `values`, shape (m,) or (m, k): shape (m,)."""
        ...

    def text(self, threshold: float, *, above: bool) -> str:
        """The event {score > threshold} (or <= threshold) in words."""
        ...

    def record(self) -> dict[str, Any]:
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

    def record(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"threshold": self.threshold, "above": self.above, **self.score.record()}


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

    def record(self) -> dict[str, Any]:
        """Kind and column."""
        return {"kind": "coordinate", "column": self.column}


def sign(above: bool) -> str:
    """The comparison that an event makes with its threshold."""
    return ">" if above else "<="
