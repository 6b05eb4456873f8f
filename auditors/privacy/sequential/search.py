"""The contenders: pairs of data sets and searched parameters, with their draws so far and the events learned from them.

At first all contenders are drawn and bet on. After every block the worse half is dropped while the blocks of the others
grow, so every block costs about the same. The blocks of the last contender double.
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
"""Pairs of draws of each contender before the first bet."""

CHUNKS = 8
"""Number of parts of a block; the audit may stop after each of them."""

LARGEST_BLOCK = 2**19

LEARNED_FROM = 2**18
"""Most draws a side of the newest block that are used for learning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender(listed.Contender):
    """A pair and searched parameters, with earlier draws and the events to bet on."""

    seen: tuple[Sample, Sample] | None = None
    slots: tuple[Slot, ...] = ()
    pairs: int = 0
    standing: tuple[int, float] = (0, 0.0)

    def after(self, block: tuple[Sample, Sample], levels: Sequence[Lines], task: Task, *, thorough: bool) -> Contender:
        """The contender after learning an event from one more block of (d0, d1), beside its earlier event."""
        names = ("learn", self.place, self.pairs)
        newest = block[0].head(LEARNED_FROM), block[1].head(LEARNED_FROM)
        split = Split.of(newest, self.seen, rng=task.stream(*names))
        rng = task.stream(*names, "trees")
        lesson = learned(split, levels, thorough=thorough, source=self.place, rng=rng)
        kept = [slot.counted(newest) for slot in self.slots[:1]]  # an earlier event, or one built without these draws
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
    """Pairs and parameters, the most promising first, at most as many as the trials can distinguish.

    Raises
    ------
    AuditError
        When the search space has no pair of different neighbours.
    """
    return listed.contenders(task, Contender, draws=16 * FIRST)


def parts(size: int, drawer: Drawer) -> list[int]:
    """Pairs in each part of a block of `size` pairs for each contender."""
    widest = max(FIRST, drawer.chunks(LARGEST_BLOCK)[0])
    step = min(max(FIRST, -(-size // CHUNKS)), widest)
    return [step] * (size // step) + ([size % step] if size % step else [])


def in_order(sample: Sample, rng: np.random.Generator) -> NDArray[Any]:
    """The draws one by one; counted outputs are put in a random order."""
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
    """The kind of each pair of draws for each slot, shape (slots, t); `drawn` has (d0, d1) of every contender."""
    rows = []
    for slot in slots:
        sides = [(slot.event.score(values) > slot.event.threshold) == slot.event.above for values in drawn[slot.source]]
        rows.append(kinds_of(sides[slot.direction], sides[1 - slot.direction]))
    return np.stack(rows)


def counts_of(kinds: NDArray[np.int8]) -> NDArray[np.int64]:
    """Counts of the kinds of pairs for each slot, shape (slots, 4)."""
    return np.stack([np.bincount(row, minlength=4) for row in kinds])
