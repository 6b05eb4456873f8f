"""Finding the pair and the bins: pilots on every candidate pair, more draws on the best few, most on the best one.

Every sample is cut in halves: bins are made on one, and judged by what they promise on the other. What a promise is, is
the method's own affair. Nothing here bounds anything: whatever is chosen, its bound comes from fresh draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event.outputs import Drawer
from auditors.privacy.fresh_counts import fresh_counts
from auditors.privacy.histogram.bins import Bins, cut
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.plain import plain_pair

PAIRS = 25
"""Pairs looked at, at effort 1."""

PILOTS = (2**13, 2**16)
FINALISTS = 3
FEWEST = 64
SELECTION = 2**20
NUMBERS = 2**24
"""Draws a side of the two pilots and of the selection, and numbers in one sample, at most."""

Plan = TypeVar("Plan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Promised(Generic[Plan]):
    """What a method means to do with some bins, and how much it expects of it (more is better)."""

    gain: float
    plan: Plan


Promise = Callable[[Bins, NDArray[np.int64]], Promised[Plan] | None]
"""What bins promise by their counts, shape (2, k), on draws that did not cut them; None for nothing at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[Plan]):
    """The best pair, the bins for it, what is planned, and the counts (2, k) that the plan rests on."""

    place: int
    pair: Pair
    parameters: Mapping[str, float]
    drawer: Drawer
    bins: Bins
    counts: NDArray[np.int64]
    promised: Promised[Plan] | None
    looked_at: int

    @property
    def gain(self) -> float:
        """Of the plan; below everything without one."""
        return -1.0 if self.promised is None else self.promised.gain


def search(task: Task, promise: Promise[Plan]) -> Found[Plan]:
    """The most promising pair and bins; AuditError when there is no pair of different neighbours."""
    drawers = _contenders(task)
    for side in (0, 1):  # learn the form of the outputs, and meet its errors, for next to nothing
        drawers[0][2].draw(side, 16, rng=task.stream("probe", side))
    places = list(range(len(drawers)))

    def looked(stage: str, size: int) -> list[Found[Plan]]:
        found = [_look(task, stage, place, drawers[place], size, promise, len(drawers)) for place in places]
        return sorted(found, key=lambda one: -one.gain)

    for stage, most in enumerate(PILOTS):
        kept = (FINALISTS, 1)[stage]
        if len(places) > kept:
            room = min(task.trials // (4 * len(places)), NUMBERS // drawers[0][2].width)
            task.progress("screening pairs", 0.15 * stage)
            places = [one.place for one in looked(f"pilot {stage}", max(FEWEST, min(most, room)))[:kept]]
    task.progress("choosing bins", 0.3)
    room = min(task.trials // 2, NUMBERS // drawers[0][2].width, SELECTION)
    return looked("select", max(2 * FEWEST, room))[0]


def certify(task: Task, found: Found[Plan]) -> NDArray[np.int64]:
    """Counts of the bins in fresh draws, shape (2, k): d0, then d1."""
    counts = np.zeros((2, found.bins.ratios.size), dtype=np.int64)
    about = [found.bins.record(), plain_pair(found.pair), dict(found.parameters)]
    for so_far, drawn in fresh_counts(task, found.drawer, found.drawer.subject, found.bins.counts, about=about):
        counts = so_far
        task.progress("counting bins in fresh draws", 0.5 + 0.25 * drawn / task.trials)
    return counts


def _look(
    task: Task,
    stage: str,
    place: int,
    contender: tuple[Pair, Mapping[str, float], Drawer],
    size: int,
    promise: Promise[Plan],
    looked_at: int,
) -> Found[Plan]:
    """The best bins of one pair on a sample of its own."""
    pair, parameters, drawer = contender
    sides = [drawer.draw(side, size, rng=task.stream(stage, place, side)) for side in (0, 1)]
    (first, held_first), (second, held_second) = (
        sample.halves(task.stream(stage, place, "halves", side)) for side, sample in enumerate(sides)
    )
    best: Found[Plan] | None = None
    for bins in cut((first, second)):
        counts = np.stack([bins.counts(held_first), bins.counts(held_second)])
        found = Found(
            place=place,
            pair=pair,
            parameters=parameters,
            drawer=drawer,
            bins=bins,
            counts=counts,
            promised=promise(bins, counts),
            looked_at=looked_at,
        )
        if best is None or found.gain > best.gain:
            best = found
    assert best is not None
    return best


def _contenders(task: Task) -> list[tuple[Pair, Mapping[str, float], Drawer]]:
    """Pairs and searched parameters in the order in which they are worth trying."""
    space = task.claim.space
    limit = max(1, min(round(PAIRS * task.effort), task.trials // (8 * FEWEST)))
    pairs = task.neighbors.candidates(space, limit=limit, rng=task.stream("pairs"))
    if not pairs:
        raise AuditError(
            f"the relation {task.neighbors.relation!r} has no two different neighbours of size {space.size} "
            f"with values in [{space.low:g}, {space.high:g}]: widen the claim's search space"
        )
    boxes = space.parameters
    corners = [dict(zip(boxes, corner, strict=True)) for corner in product(*boxes.values())] if boxes else []
    settings: list[dict[str, float]] = [{}, *corners[: max(1, limit // 2)]]
    subjects = [task.build(**setting) for setting in settings]
    ranked = sorted((i + j, i, j) for i in range(len(pairs)) for j in range(len(settings)))[:limit]
    return [(pairs[i], settings[j], Drawer(subjects[j], pairs[i])) for _, i, j in ranked]
