"""Chooses the next event to bet on: the one whose payoff has the largest ratio of mean to spread.

A bet's log-wealth grows by about m^2 / 2v for each pair, where m is the payoff's mean and v its variance. A bound on
epsilon has another optimum: it prefers rare events with a large ratio, betting prefers more frequent events. The scores
are those of the event auditor. The bets use later draws only, so any choice is valid.

At first all contenders (pairs of data sets and searched parameters) are drawn and bet on. After every block the worse
half is dropped while the blocks of the others grow, so every block costs about the same. The blocks of the last
contender double.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy import admission as listed
from auditors.privacy.event.learned import linear
from auditors.privacy.event.scores import Event, Score
from auditors.privacy.event.select import Split, simple_scores
from auditors.privacy.event.statistics import Higher, medians
from auditors.privacy.event.tails import Tails
from auditors.privacy.event.trees import trees
from auditors.privacy.outputs import Drawer, Sample
from auditors.privacy.sequential.bets import Slot
from auditors.privacy.sequential.claim_chain import SLOPES, Target, profile
from dpverify.core.auditing import Task
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.stats.e_mixture import kinds_of

FEWEST_FOR_TREES = 2000
TREES_FROM = 2**15
"""Most draws a side for growing trees, which is slow; later blocks bring more draws."""

ENOUGH = 4.0
"""Smallest past growth, in nats, that counts as a signal; the best of hundreds of thresholds has less by chance."""

WEAKER = (0.8, 0.6, 0.4, 0.2, 0.1)
"""Weaker claims, as multiples of the claimed value, for learning events where no event contradicts the claim."""

Lines = Mapping[int, tuple[Float, Float]]
"""Slopes e^t and deltas of the claim for events more likely under d0 (0) and under d1 (1)."""

Best = tuple[float, tuple[Event, int] | None]
"""Signal of an event, the event, and its direction."""


FIRST = 32
"""Pairs of draws of each contender before the first bet."""

CHUNKS = 8
"""Number of parts of a block; the audit may stop after each of them."""

LARGEST_BLOCK = 2**19

LEARNED_FROM = 2**18
"""Most draws a side of the newest block that are used for learning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedEvent:
    """The event learned from past draws, if any, and its strength, which ranks contenders."""

    slot: Slot | None
    standing: tuple[int, float]


def levels_of(guarantee: PrivacyGuarantee, aim: Target, *, chosen: bool) -> list[Lines]:
    """Lines of the claim (at its chosen point, once `chosen`) for each direction; then those of weaker claims."""
    sides = (0, 1) if aim.direction is None else (aim.direction,)
    weaker: list[Lines] = [dict.fromkeys(sides, aim.lines_at(part)) for part in WEAKER]
    if chosen:
        return [dict.fromkeys(sides, aim.claimed_lines()), *weaker]
    return [{side: (np.exp(SLOPES), profile(guarantee, side)) for side in (0, 1)}, *weaker]


def learned(
    split: Split, levels: Sequence[Lines], *, thorough: bool, source: int, rng: np.random.Generator
) -> LearnedEvent:
    """The best event by past draws, counted in the part that its score was not built on; none without a difference.

    Parameters
    ----------
    split : Split
        Past draws.
    levels : sequence of mapping
        Lines of the claim, then of weaker and weaker claims. Where no event contradicts the claim, one that contradicts
        a weaker claim is the best guess, and the best bet against the chain. Missing directions are skipped.
    thorough : bool
        True learns classifiers for vector outputs too.
    source : int
        The contender's number.
    """
    plain, built = simple_scores(split.build, thorough=thorough)
    if thorough and split.build[0].width > 1:
        plain = [*plain, Higher(levels=medians(*split.build))]
        if (regression := linear(*split.build)) is not None:
            built.append(regression)
    tails = [tails_of(score, split, built=False) for score in plain]
    tails += [tails_of(score, split, built=True) for score in built]
    level, best = _highest(tails, levels, split.held[0].size)
    if thorough and split.build[0].width > 1 and split.build[0].size >= FEWEST_FOR_TREES:
        build = split.build[0].head(TREES_FROM), split.build[1].head(TREES_FROM)
        helpers: tuple[Score, ...] = () if best[1] is None else (best[1][0].score,)
        grown = tails_of(trees(*build, helpers, rng=rng), split, built=True)
        level, best = _highest([*tails, grown], levels, split.held[0].size)
    if best[1] is None:
        return LearnedEvent(slot=None, standing=(-len(levels), 0.0))
    event, direction = best[1]
    slot = Slot(source=source, event=event, direction=direction, k1=0, k2=0, size=0).counted(split.held)
    return LearnedEvent(slot=slot, standing=(-level, best[0]))


def _highest(tails: Sequence[Tails | None], levels: Sequence[Lines], size: int) -> tuple[int, Best]:
    """The best event against the first level that some event contradicts, or else against the last."""
    best: Best = 0.0, None
    for level, lines in enumerate(levels):
        best = most_telling(tails, lines)
        if best[0] * size / 2.0 >= ENOUGH:
            return level, best
    return len(levels), best


def tails_of(score: Score, split: Split, *, built: bool) -> Tails | None:
    """Tails on the whole past, or on the part that a score was not built on."""
    return Tails.of(score, split.held if built else split.whole)


def most_telling(tails: Sequence[Tails | None], lines: Lines) -> Best:
    """The event with the strongest signal and its direction; (0, None) without one."""
    best: Best = 0.0, None
    for tail in tails:
        if tail is None:
            continue
        seen = (tail.rates() * tail.size + 0.5) / (tail.size + 1.0)
        found = np.zeros(seen.shape)
        for direction, (slopes, deltas) in lines.items():
            here, there = seen[2 * direction : 2 * direction + 2], seen[2 - 2 * direction : 4 - 2 * direction]
            found[2 * direction : 2 * direction + 2] = signal(here, there, slopes, deltas)
        row, column = divmod(int(np.argmax(found)), tail.thresholds.size)
        if found[row, column] > best[0]:
            event = Event(score=tail.score, threshold=float(tail.thresholds[column]), above=row % 2 == 0)
            best = float(found[row, column]), (event, row // 2)
    return best


def signal(p: Float, q: Float, slopes: Float, deltas: Float) -> Float:
    """Largest m^2 / (v + m^2) over the lines of payoffs with positive mean; 0 where there is none. Shape of p."""
    p, q = np.asarray(np.expand_dims(p, -1)), np.asarray(np.expand_dims(q, -1))
    mean = slopes * q  # in place from here on: the arrays are large
    np.subtract(p, mean, out=mean)
    mean -= deltas
    np.maximum(mean, 0.0, out=mean)
    square = slopes * slopes * q
    square *= 1.0 - q
    square += p * (1.0 - p)
    mean *= mean
    square += mean
    mean /= square
    return np.asarray(np.max(mean, axis=-1))


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
    return one.direction == other.direction and one.event.plain() == other.event.plain()


def contenders(task: Task) -> list[Contender]:
    """Pairs and parameters, the most promising first, at most as many as the trials can distinguish.

    AuditError when the search space has no pair of different neighbours.
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
