"""The contenders: pairs of data sets and searched parameters, with their draws so far and the events learned from them.

All contenders are drawn from and bet on at first. After every block the worse half is dropped, while the blocks of the
others grow, so that all contenders together cost about the same in each block. The last one's blocks double.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy import contenders as listed
from auditors.privacy.event.select import Split
from auditors.privacy.outputs import Drawer, Sample
from auditors.privacy.sequential.bets import Slot
from auditors.privacy.sequential.events import Lines, learned
from dpverify.core.auditing import Task
from dpverify.stats.e_mixture import kinds_of

FIRST = 32
"""Pairs of draws of each contender before anything is bet."""

CHUNKS = 8
"""Into so many parts a block is drawn: at the end of each of them the audit may stop."""

LARGEST_BLOCK = 2**19

LEARNED_FROM = 2**18
"""Draws a side of the newest block that events are learned from, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender(listed.Contender):
    """A pair and the searched parameters, with what was drawn before and the events to bet on."""

    seen: tuple[Sample, Sample] | None = None
    slots: tuple[Slot, ...] = ()
    pairs: int = 0
    standing: tuple[int, float] = (0, 0.0)

    def after(self, block: tuple[Sample, Sample], levels: Sequence[Lines], task: Task, *, thorough: bool) -> Contender:
        """What this contender has learned from one more block of (d0, d1): an event, beside the one it had before."""
        names = ("learn", self.place, self.pairs)
        newest = block[0].head(LEARNED_FROM), block[1].head(LEARNED_FROM)
        split = Split.of(newest, self.seen, rng=task.stream(*names))
        rng = task.stream(*names, "trees")
        lesson = learned(split, levels, thorough=thorough, source=self.place, rng=rng)
        kept = [slot.counted(newest) for slot in self.slots[:1]]  # bet on before these draws, or built without them
        fresh = [] if lesson.slot is None or any(_same(slot, lesson.slot) for slot in kept) else [lesson.slot]
        return replace(
            self,
            seen=split.remembered(),
            slots=(*fresh, *kept),
            pairs=self.pairs + block[0].size,
            standing=lesson.standing,
        )


def _same(one: Slot, other: Slot) -> bool:
    return one.direction == other.direction and one.event.record() == other.event.record()


def contenders(task: Task) -> list[Contender]:
    """Pairs and parameters in the order in which they are worth trying, no more than the trials can tell apart.

    Raises
    ------
    AuditError
        When the search space has no pair of different neighbours.
    """
    return listed.contenders(task, Contender, draws=16 * FIRST)


def parts(size: int, drawer: Drawer) -> list[int]:
    """Pairs in each part of a block of `size` pairs a contender."""
    widest = max(FIRST, drawer.chunks(LARGEST_BLOCK)[0])
    step = min(max(FIRST, -(-size // CHUNKS)), widest)
    return [step] * (size // step) + ([size % step] if size % step else [])


def in_order(sample: Sample, rng: np.random.Generator) -> NDArray[Any]:
    """The draws one by one; those that were only counted in a random order, which is as likely as any."""
    if sample.weights is None:
        return sample.values
    return rng.permutation(np.repeat(sample.values, sample.weights))


def digests(blocks: Mapping[int, tuple[Sample, Sample]]) -> tuple[str, str]:
    """SHA-256 of the draws of all contenders under d0, and of those under d1."""
    found = hashlib.sha256(), hashlib.sha256()
    for place in sorted(blocks):
        for digest, sample in zip(found, blocks[place], strict=True):
            for part in (sample.values, sample.weights):
                if part is not None:
                    digest.update(f"{part.dtype} {part.shape}".encode())
                    digest.update(np.ascontiguousarray(part).tobytes())
    return found[0].hexdigest(), found[1].hexdigest()


def kinds(slots: list[Slot], drawn: Mapping[int, tuple[NDArray[Any], NDArray[Any]]]) -> NDArray[np.int8]:
    """Which kind each pair of draws is for each slot, shape (slots, t); `drawn` holds (d0, d1) of every contender."""
    rows = []
    for slot in slots:
        sides = [(slot.event.score(values) > slot.event.threshold) == slot.event.above for values in drawn[slot.source]]
        rows.append(kinds_of(sides[slot.direction], sides[1 - slot.direction]))
    return np.stack(rows)


def counts_of(kinds: NDArray[np.int8]) -> NDArray[np.int64]:
    """How often each slot's pairs were of each kind, shape (slots, 4)."""
    return np.stack([np.bincount(row, minlength=4) for row in kinds])
