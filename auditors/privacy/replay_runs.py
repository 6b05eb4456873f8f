"""Runs side by side on one pair: the same coins, the released values of the first; and the same again with other coins.

A certain difference is one that stays when everything that was not shown is drawn anew. So each difference is looked at
again `AGAIN` times under other coins with the released values held: randomness that the recorder does not see (a global
generator, the operating system's) gives itself away there, unless it comes out the same every time (a hidden fair coin:
one time in 2^16, over both data sets).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dpverify.core.protocols import Dataset, HasTranscript, Pair
from dpverify.core.transcript import Step, Transcript
from dpverify.recording.compare import Comparison, compare, same
from dpverify.recording.last_record import last_differs

AGAIN = 8
PUSHES = 3
"""Runs with released values pushed to where they tell most, each from what the one before told of the directions."""

FIRST_STATE = (0, 0, 0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """A run on one data set, the run on the other that is held to it, and what the two tell."""

    pair: Pair
    reverse: bool
    first: Transcript
    second: Transcript
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayer:
    """Runs of one subject.

    Attributes
    ----------
    stream : callable
        Named streams for the coins.
    """

    subject: HasTranscript
    stream: Callable[..., np.random.Generator]

    def runs(self, pair: Pair, place: int | str, *, reverse: bool) -> Runs:
        """On d0 and then on d1, or the other way round."""
        one, other = self._sides(pair, reverse)
        first = self.subject.transcript(one, rng=self.stream("run", place, int(reverse)))
        return self._beside(pair, reverse, first, other)

    def pushed(self, runs: Runs) -> list[Runs]:
        """The same with released values on the far side of where the other data set would have them."""
        found: list[Runs] = []
        one, other = self._sides(runs.pair, runs.reverse)
        for _ in range(PUSHES):
            steps = list(runs.first.steps)
            places = {id(step): place for place, step in enumerate(steps)}
            for ours, theirs in runs.comparison.noisy:
                away = np.where(ours.clean >= theirs.clean, 1.0, -1.0)
                value = ours.clean + away * np.abs(ours.value - ours.clean)
                steps[places[id(ours)]] = replace(ours, value=value)
            told = replace(runs.first, steps=tuple(steps), held=True)
            runs = self._beside(runs.pair, runs.reverse, self.subject.replay(one, told), other)
            found.append(runs)
        return found

    def certain(self, runs: Runs, *, place: int) -> bool:
        """Whether what the runs show, up to where they part, stays when all other coins are drawn anew."""
        sides = self._sides(runs.pair, runs.reverse)
        for again in range(AGAIN):
            words = self.stream("again", place, int(runs.reverse), again).integers(1, 2**63, size=4)
            state = (int(words[0]), int(words[1]), int(words[2]), int(words[3]))
            told = replace(runs.first, held=True, draws=(), state=state)
            for dataset, seen in zip(sides, (runs.first, runs.second), strict=True):
                if not _shows_the_same(self.subject.replay(dataset, told), seen, runs.comparison):
                    return False
        return True

    def _beside(self, pair: Pair, reverse: bool, first: Transcript, other: Dataset) -> Runs:
        second = self.subject.replay(other, replace(first, held=True))
        comparison = compare(first, second, last_differs=last_differs(pair.d0, pair.d1))
        return Runs(pair=pair, reverse=reverse, first=first, second=second, comparison=comparison)

    def _sides(self, pair: Pair, reverse: bool) -> tuple[Dataset, Dataset]:
        return (pair.d1, pair.d0) if reverse else (pair.d0, pair.d1)


def _shows_the_same(run: Transcript, seen: Transcript, comparison: Comparison) -> bool:
    """Whether two runs on one data set show the same, up to and with the place where the data sets part."""
    wanted, found = _until(seen), _until(run)
    if comparison.apart is None:
        released = len(comparison.noisy)
        wanted, found = _first(wanted, released), _first(found, released)
    else:
        wanted, found = wanted[: comparison.apart.place + 1], found[: comparison.apart.place + 1]
    return len(wanted) == len(found) and all(map(_one_step, wanted, found))


def _until(run: Transcript) -> list[Step]:
    """What is shown before the first hidden coin."""
    shown: list[Step] = []
    for step in run.steps:
        if step.kind == "coin":
            break
        if step.kind != "query":
            shown.append(step)
    return shown


def _first(steps: list[Step], released: int) -> list[Step]:
    """Up to and with so many noisy ones."""
    left, kept = released, []
    for step in steps:
        if not left:
            break
        kept.append(step)
        left -= step.kind == "noisy"
    return kept


def _one_step(one: Step, other: Step) -> bool:
    if (one.kind, one.name, one.law) != (other.kind, other.name, other.law):
        return False
    if one.kind == "noisy":
        return same(one.clean, other.clean) and same(one.scale, other.scale)
    return abs(one.value - other.value) <= one.slack + other.slack if one.slack > 0 else same(one.value, other.value)
