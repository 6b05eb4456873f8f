"""Pairs of runs on two data sets, with the same random draws and the first run's released values; and their repeats.

A difference is certain if it remains when everything that was not released is drawn anew. So each difference is
repeated `AGAIN` times with other draws and the same released values. This reveals unrecorded randomness (a global
generator, the operating system's), unless it gives the same values every time. A subject on a tape has no other
randomness, so there the difference is certain; for a user's callable more runs decide (`counts`).

The log-ratio of densities: a run on a tape is replayed on the other data set, since the tape is its only randomness. A
user's callable is first run unchanged, with plain numbers. Then a replay on *each* data set, with independent coins,
computes the likelihood of the shown values. So the score is the same random function of the shown values on both data
sets, and events on it may be counted even if the recorder misses randomness (`dpverify.recording.release_likelihood`).

Whether neighbours differ by a record at the end: then an index means the same record in both.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auditors.privacy.event_bounds import Goal, tightness, value
from dpverify.adapters.recorded_callable import RecordedCallable
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Dataset, Float, HasRecorder, HasTranscript, Pair
from dpverify.core.transcript import LAPLACE, OTHER, Step, Transcript
from dpverify.recording.compare_runs import ChangedValue, Comparison, compare, same_bits
from dpverify.recording.release_likelihood import log_ratio
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper

AGAIN = 8
SAME = 25
"""Repeats of a changing query on each side: 4^-25 is 1e-15."""

PUSHES = 3
"""Runs with released values moved to where the privacy loss is largest, each in the directions of the previous run."""

UNSEEN = "the program has randomness that the recorder does not see (or a clock): draw from its rng"


PLACES = 9
"""Decimals to which a loss is rounded.

Laplace noise gives atoms of equal losses, which floating point would split by the low bits of the shown values. That
leak is not the algorithm's; the `floating_point` auditor tests for it.
"""

HIDDEN = "a hidden coin comes before anything noisy is shown"


def replay_refusal(subject: object) -> str | None:
    """Why runs of a subject cannot be replayed; None when they can."""
    if isinstance(subject, HasTranscript | HasRecorder):
        return None
    return "the subject has no transcripts and cannot be recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """A run on one data set, the run on the other with its released values held, and the comparison of the two."""

    pair: Pair
    reverse: bool
    first: Transcript
    second: Transcript
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayer:
    """Makes runs of one subject."""

    subject: HasTranscript
    stream: Callable[..., np.random.Generator]
    """Function that gives the named streams of the coins."""
    recorded: bool = False
    """Whether the subject is a recorded callable, which may use other randomness."""

    @classmethod
    def of(cls, task: Task) -> Replayer:
        """The replayer of the task's subject, which is recorded where it is a callable."""
        built = task.build()
        recorded = isinstance(built, HasRecorder)
        return cls(subject=built.recorded() if recorded else built, stream=task.stream, recorded=recorded)

    def faithful(self, runs: Runs) -> bool:
        """Whether unchanged runs on both data sets show the same as recorded ones; always True on a tape."""
        sides = self._sides(runs.pair, runs.reverse)
        return all(map(self._untouched, sides, (runs.first, runs.second)))

    def fresh(self, runs: Runs, place: str, *, second: bool) -> Transcript | None:
        """A new run on the first or second data set; None where the unchanged program shows other values."""
        dataset = self._sides(runs.pair, runs.reverse)[int(second)]
        return self._callable.fresh(dataset, rng=self.stream(place, int(runs.reverse), int(second)))

    def rejects(self, runs: Runs, place: str, *, second: bool) -> bool:
        """Whether the values of the unchanged program on the first or second data set are impossible on the second."""
        sides = self._sides(runs.pair, runs.reverse)
        names = place, int(runs.reverse), int(second)
        shown = self._callable.observed(sides[int(second)], rng=self.stream("run", *names))
        answers = self._callable.explained(sides[1], shown, rng=self.stream("beside", *names))
        return any(answer is False for answer in answers)

    def weighed(self, pair: Pair, place: str, side: int) -> float:
        """The log-ratio of densities, d0 over d1, of the values of the unchanged program on d0 (side 0) or d1."""
        datasets = pair.d0, pair.d1
        shown = self._callable.observed(datasets[side], rng=self.stream("run", place, side))
        ours, theirs = (
            self._callable.explained(dataset, shown, rng=self.stream("beside", place, side, which))
            for which, dataset in enumerate(datasets)
        )
        return log_ratio(ours, theirs)

    def moves_again(self, runs: Runs, moved: ChangedValue) -> bool:
        """Whether both runs, repeated with the same coins, have the same noise-free values every time.

        Unrecorded coins have the same law on both data sets. The probability that they always give the first value on
        one and the second on the other is at most 4^-SAME.
        """
        for _ in range(SAME):
            for dataset, seen in zip(self._sides(runs.pair, runs.reverse), (runs.first, runs.second), strict=True):
                run = self.subject.replay(dataset, replace(runs.first, held=seen is runs.second))
                if not _queries_alike(run, seen, moved.place):
                    return False
        return True

    def _untouched(self, dataset: Dataset, run: Transcript) -> bool:
        return not self.recorded or self._callable.faithful(dataset, run)

    @property
    def _callable(self) -> RecordedCallable:
        assert isinstance(self.subject, RecordedCallable)
        return self.subject

    def runs(self, pair: Pair, place: int | str, *, reverse: bool) -> Runs:
        """Run on d0 and then on d1, or the other way round."""
        one, other = self._sides(pair, reverse)
        first = self.subject.transcript(one, rng=self.stream("run", place, int(reverse)))
        return self._beside(pair, reverse, first, other)

    def pushed(self, runs: Runs) -> list[Runs]:
        """Runs with released values on the far side of the other data set's values."""
        found: list[Runs] = []
        one, other = self._sides(runs.pair, runs.reverse)
        for _ in range(PUSHES):
            steps = list(runs.first.steps)
            places = {id(step): place for place, step in enumerate(steps)}
            for ours, theirs in runs.comparison.noisy:
                away = np.where(ours.clean >= theirs.clean, 1.0, -1.0)
                with np.errstate(invalid="ignore"):
                    value = ours.clean + away * np.abs(ours.value - ours.clean)
                value = np.where(np.isfinite(value), value, ours.value)
                steps[places[id(ours)]] = replace(ours, value=value)
            told = replace(runs.first, steps=tuple(steps), held=True)
            runs = self._beside(runs.pair, runs.reverse, self.subject.replay(one, told), other)
            found.append(runs)
        return found

    def certain(self, runs: Runs, *, place: int) -> bool:
        """Whether the shown values, up to the difference, remain when all other coins are drawn anew."""
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
    """Whether two runs on one data set show the same, up to and including the place of the difference."""
    wanted, found = until_coin(seen), until_coin(run)
    if comparison.apart is None:
        released = len(comparison.noisy)
        wanted, found = _first(wanted, released), _first(found, released)
    else:
        wanted, found = wanted[: comparison.apart.place + 1], found[: comparison.apart.place + 1]
    return len(wanted) == len(found) and all(map(one_step, wanted, found))


def until_coin(run: Transcript) -> list[Step]:
    """Steps shown before the first hidden coin."""
    shown: list[Step] = []
    for step in run.steps:
        if step.kind == "coin":
            break
        if step.kind != "query":
            shown.append(step)
    return shown


def _first(steps: list[Step], released: int) -> list[Step]:
    """Steps up to and including a number of noisy ones."""
    left, kept = released, []
    for step in steps:
        if not left:
            break
        kept.append(step)
        left -= step.kind == "noisy"
    return kept


def _queries_alike(run: Transcript, seen: Transcript, place: int) -> bool:
    """Whether the noise-free values up to and including a place among the queries and coins are the same."""
    steps = [[step for step in each.steps if step.kind in ("query", "coin")][: place + 1] for each in (run, seen)]
    return len(steps[0]) == len(steps[1]) and all(
        one.kind == other.kind and one.name == other.name and same_bits(one.clean, other.clean)
        for one, other in zip(*steps, strict=True)
    )


def one_step(one: Step, other: Step) -> bool:
    """Whether two steps show the same; for noisy ones, whether noise-free values and scales agree."""
    if (one.kind, one.name, one.law) != (other.kind, other.name, other.law):
        return False
    if one.kind == "noisy":
        return same_bits(one.clean, other.clean) and same_bits(one.scale, other.scale)
    return (
        abs(one.value - other.value) <= one.slack + other.slack if one.slack > 0 else same_bits(one.value, other.value)
    )


def log_likelihood_ratio(replayer: Replayer, pair: Pair, name: str, side: int) -> float:
    """log p(h) / q(h), p on d0 and q on d1, of the history h of a new run on d0 (side 0) or d1 (side 1)."""
    if replayer.recorded:
        found = replayer.weighed(pair, name, side)
    else:
        found = _log_ratio(replayer.runs(pair, name, reverse=bool(side))) * (1.0 if side == 0 else -1.0)
    return round(found, PLACES) if math.isfinite(found) else found


def scores(replayer: Replayer, pair: Pair, name: str, size: int) -> list[Float]:
    """Scores of independent runs on d0 and d1, alternating, so that a drift of the program affects both."""
    found = [[log_likelihood_ratio(replayer, pair, f"{name} {run}", side) for side in (0, 1)] for run in range(size)]
    return [np.array(each) for each in zip(*found, strict=True)]


def _log_ratio(runs: Runs) -> float:
    """Log-ratio of a history's densities, its data set over the other; infinite where the other cannot show it."""
    total = 0.0
    for one, other in runs.comparison.noisy:
        if one.law != other.law or one.law == OTHER:
            return total
        moved = [(one.value - step.clean) / step.scale for step in (one, other)]
        size = [np.abs(z) if one.law == LAPLACE else 0.5 * z * z for z in moved]
        total += float(np.sum(size[1] - size[0] + np.log(other.scale) - np.log(one.scale)))
    if runs.comparison.apart is not None:
        return math.inf
    if not runs.comparison.noisy and runs.comparison.coin is not None:
        raise AuditError(f"{HIDDEN}: {runs.comparison.coin.name} {runs.comparison.coin.where}")
    return total


def best_event(goal: Goal, selection: list[Float], runs: int, alpha: float) -> tuple[float, int]:
    """The threshold and direction of the event with the largest bound at the pilot's rates for a number of runs."""
    size = selection[0].size
    finite = np.concatenate([side[np.isfinite(side)] for side in selection])
    inner = np.unique(np.quantile(finite, np.linspace(0.0, 1.0, 200))) if finite.size else np.zeros(1)
    levels = np.concatenate([[inner[0] - 1.0], inner])
    best = (-math.inf, 0.0, 0)
    for direction in (0, 1):
        sign = 1.0 if direction == 0 else -1.0
        above = [np.count_nonzero(sign * side[:, None] > sign * levels, axis=0) / size for side in selection]
        k1, k2 = (np.rint(runs * above[side]).astype(np.int64) for side in (direction, 1 - direction))
        p = np.asarray(clopper_pearson_lower(k1, runs, alpha=alpha / 2), dtype=np.float64)
        q = np.asarray(clopper_pearson_upper(k2, runs, alpha=alpha / 2), dtype=np.float64)
        beyond = p - goal.allowed(direction)(q)
        gain = np.where(
            beyond > 0, 10.0 + beyond, np.minimum(tightness(goal.headline, value(goal.headline, p, q)), 9.0)
        )
        place = int(np.argmax(gain))
        if gain[place] > best[0]:
            best = float(gain[place]), float(levels[place]), direction
    return best[1], best[2]


def hits(found: Float, threshold: float, direction: int) -> int:
    """Number of scores on the event's side of the threshold."""
    return int(np.count_nonzero(found > threshold if direction == 0 else found < threshold))


def last_differs(one: Any, other: Any) -> bool:
    """Tell whether the longer data set is the shorter one with records at its end; False where that is unclear."""
    if dataclasses.is_dataclass(one) and type(one) is type(other):
        names = [field.name for field in dataclasses.fields(one)]
        return all(_begins(getattr(one, name), getattr(other, name)) for name in names)
    return _begins(one, other)


def _begins(one: Any, other: Any) -> bool:
    if isinstance(one, str) or not hasattr(one, "__len__") or not hasattr(other, "__len__"):
        return bool(one == other)
    size = min(len(one), len(other))
    try:
        return bool(np.array_equal(np.asarray(one[:size]), np.asarray(other[:size])))
    except (TypeError, ValueError, KeyError):
        return False
