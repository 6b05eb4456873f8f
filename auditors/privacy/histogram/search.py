"""Searches the pair and the bins: pilots on every candidate pair, more draws on the best few, most on the best one.

Every sample is split: bins are chosen on one half and rated on the other by the auditor's function. The bound of the
chosen bins comes from new draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.contenders import Contender, contenders, probe
from auditors.privacy.fresh_counts import fresh_counts
from auditors.privacy.histogram.bins import Bins, choose_bins
from dpverify.core.auditing import Task
from dpverify.datasets.neighbors.json_values import plain_pair

PILOTS = (2**13, 2**16)
FINALISTS = 3
FEWEST = 64
SELECTION = 2**20
NUMBERS = 2**24
"""Most draws a side of the two pilots and of the selection, and most numbers in a sample."""

Plan = TypeVar("Plan")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPlan(Generic[Plan]):
    """A plan for counting some bins, with its expected gain."""

    gain: float
    plan: Plan


Rating = Callable[[Bins, NDArray[np.int64]], RatedPlan[Plan] | None]
"""Function from bins and their counts, shape (2, k), on other draws to the best plan; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[Plan]):
    """The best pair, its bins, the plan, and the counts (2, k) that the plan is based on."""

    contender: Contender
    bins: Bins
    counts: NDArray[np.int64]
    rated: RatedPlan[Plan] | None
    looked_at: int

    @property
    def gain(self) -> float:
        """The expected gain of the plan; -1 without one."""
        return -1.0 if self.rated is None else self.rated.gain


def search(task: Task, rating: Rating[Plan]) -> Found[Plan]:
    """The pair and bins with the best plan; AuditError when there is no pair of different neighbours."""
    tried = contenders(task, Contender, draws=8 * FEWEST)
    looked_at, first = len(tried), tried[0].drawer
    probe(task, first)

    def looked(stage: str, size: int) -> list[Found[Plan]]:
        found = [_look(task, stage, contender, size, rating, looked_at) for contender in tried]
        return sorted(found, key=lambda one: -one.gain)

    for stage, most in enumerate(PILOTS):
        kept = (FINALISTS, 1)[stage]
        if len(tried) > kept:
            room = min(task.trials // (4 * len(tried)), NUMBERS // first.width)
            task.progress("screening pairs", 0.15 * stage)
            best = looked(f"pilot {stage}", max(FEWEST, min(most, room)))[:kept]
            tried = [one.contender for one in best]
    task.progress("choosing bins", 0.3)
    room = min(task.trials // 2, NUMBERS // first.width, SELECTION)
    return looked("select", max(2 * FEWEST, room))[0]


def certify(task: Task, found: Found[Plan]) -> NDArray[np.int64]:
    """Count the bins in new draws, shape (2, k): d0, then d1."""
    counts = np.zeros((2, found.bins.ratios.size), dtype=np.int64)
    drawer = found.contender.drawer
    about = [found.bins.record(), plain_pair(drawer.pair), dict(found.contender.parameters)]
    for so_far, drawn in fresh_counts(task, drawer, drawer.subject, found.bins.counts, about=about):
        counts = so_far
        task.progress("counting bins in fresh draws", 0.5 + 0.25 * drawn / task.trials)
    return counts


def _look(
    task: Task,
    stage: str,
    contender: Contender,
    size: int,
    rating: Rating[Plan],
    looked_at: int,
) -> Found[Plan]:
    """The best bins of one pair on a separate sample."""
    place = contender.place
    sides = contender.drawer.both(size, task.stream, stage, place)
    (first, held_first), (second, held_second) = (
        sample.halves(task.stream(stage, place, "halves", side)) for side, sample in enumerate(sides)
    )
    best: Found[Plan] | None = None
    for bins in choose_bins((first, second)):
        counts = np.stack([bins.counts(held_first), bins.counts(held_second)])
        found = Found(
            contender=contender,
            bins=bins,
            counts=counts,
            rated=rating(bins, counts),
            looked_at=looked_at,
        )
        if best is None or found.gain > best.gain:
            best = found
    assert best is not None
    return best
