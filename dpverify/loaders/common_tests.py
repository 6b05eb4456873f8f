"""Tests that several schemes share; what they expect is the scheme's.

Levels and lags are fixed by the shape of what was read and by the pilot, never by what is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme_test import (
    ORDER,
    PAIRS,
    PASSES,
    RECORDS,
    REPEATS,
    STEPS,
    SchemeTest,
    counted,
    fact,
    shown,
)
from dpverify.loaders.tails import at_least, lower_tail, most_likely, upper_tail

LEVELS = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
PARTS = 8
POSITIONS = 8
MOST_LAGS = 16


def step_lags(seen: Observed) -> list[int]:
    """1, 2, 3, powers of two, and around one pass and two; below the number of batches."""
    powers = [2**k for k in range(MOST_LAGS)]
    wanted = {1, 2, 3, 5, 6, 7, *powers, seen.steps - 1, seen.steps, seen.steps + 1, 2 * seen.steps}
    return sorted(each for each in wanted if 1 <= each < seen.batches)


def record_lags(seen: Observed) -> list[int]:
    """1, 2, 3, powers of two, and half of the records; where there are pairs so far apart."""
    longest = max(end - first for first, end in seen.looked_at)
    wanted = {1, 2, 3, *(2**k for k in range(MOST_LAGS)), longest // 2}
    return sorted(each for each in wanted if 1 <= each < longest)


def some_positions(seen: Observed) -> list[int]:
    """A few positions of a pass, evenly."""
    return sorted(set(np.linspace(0, seen.steps - 1, min(POSITIONS, seen.steps)).astype(int).tolist()))


def records_alike(
    seen: Observed, low: float, high: float, guess: float, trials: int, *, exact: bool
) -> Iterator[SchemeTest]:
    """Each record is taken Bin(trials, p) times in all, p in [low, high]: how many records reach each level."""
    for level in most_likely(trials, guess, LEVELS):
        count = int(np.count_nonzero(seen.record_counts >= level))
        ends = at_least(level, trials, low), at_least(level, trials, high)
        yield counted(RECORDS, f"records taken {level} times or more", count, seen.records, *ends, exact=exact)
    most, least = int(seen.record_counts.max()), int(seen.record_counts.min())
    expected = trials * (low + high) / 2
    for words, count, p in (
        ("most", most, upper_tail(most, trials, high, exact=True)),
        ("least", least, lower_tail(least, trials, low, exact=True)),
    ):
        place = int((seen.record_counts.argmax if words == "most" else seen.record_counts.argmin)())
        told = f"the record taken {words} often ({place}): {count} times where {shown(expected)} are expected of each"
        yield SchemeTest(kind=RECORDS, words=told, p=min(1.0, p * seen.records))


def passes_alike(seen: Observed, low: float, high: float, trials: int, *, exact: bool) -> Iterator[SchemeTest]:
    """Each record is taken Bin(trials, p) times in a pass: how often once, twice, three times or more."""
    for level in (1, 2, 3):
        if level > trials:
            break
        count = int(np.count_nonzero(seen.pass_counts >= level))
        ends = at_least(level, trials, low), at_least(level, trials, high)
        words = f"a record {('once', 'twice', 'three times')[level - 1]} or more in a pass"
        yield counted(PASSES, words, count, seen.passes * seen.records, *ends, exact=exact)


def batches_apart(seen: Observed, low: float, high: float, *, exact: bool) -> Iterator[SchemeTest]:
    """A record is in two given batches with probability in [low, high]."""
    for lag in step_lags(seen):
        count, pairs = seen.in_both_batches(lag)
        words = f"records that are also in the batch {lag} later"
        yield counted(STEPS, words, count, pairs * seen.width, low, high, exact=exact)


def records_apart(seen: Observed, low: float, high: float, *, exact: bool) -> Iterator[SchemeTest]:
    """Two given records are in a batch together with probability in [low, high]."""
    for lag in record_lags(seen):
        count, pairs, batches = seen.both_in_batch(lag)
        words = f"batches with both records {lag} apart"
        yield counted(PAIRS, words, count, pairs * batches, low, high, exact=exact)


def each_pair(seen: Observed, low: float, high: float) -> Iterator[SchemeTest]:
    """Test every pair of records alone, where there are few: the pairs most and least often together."""
    if seen.together is not None:
        most, least, batches = int(seen.together.max()), int(seen.together.min()), seen.together_of
        tails = (
            (most, upper_tail(most, batches, high, exact=True)),
            (least, lower_tail(least, batches, low, exact=True)),
        )
        for (count, p), words in zip(tails, ("most", "least"), strict=True):
            told = f"the two records that are {words} often together: in {count} batches"
            told += f" where {shown(batches * (low + high) / 2)} are expected of each pair"
            yield SchemeTest(kind=PAIRS, words=told, p=min(1.0, p * seen.together.size))


def places(seen: Observed, low: float, high: float, *, exact: bool) -> Iterator[SchemeTest]:
    """Blocks of records in blocks of positions; each record in each batch with probability in [low, high]."""
    for words, count, rows, batches in seen.blocks(PARTS):
        yield counted(ORDER, words, count, rows * batches, low, high, exact=exact)


def one_place(seen: Observed, chance: Callable[[int], float]) -> Iterator[SchemeTest]:
    """The record that is most often at one position; `chance` is that of one pass, of a position's mean batch."""
    if seen.position_counts is not None and seen.passes > 1:
        at = int(seen.position_counts.argmax())
        position, record = divmod(at, seen.records)
        count = int(seen.position_counts.flat[at])
        largest = max(chance(each) for each in range(seen.steps))
        p = upper_tail(count, seen.passes, largest, exact=True) * seen.records * seen.steps
        told = f"record {record} in batch {position + 1} of {count} of {seen.passes} passes"
        yield SchemeTest(kind=ORDER, words=told, p=min(1.0, p))


def repeats(seen: Observed, log_chance_pass: float, log_chance_batch: float | None) -> Iterator[SchemeTest]:
    """Passes, and batches, that come again; by the union over all pairs, given the chance of one pair."""
    pairs = seen.passes * (seen.passes - 1) / 2
    p = pairs * float(np.exp(min(log_chance_pass, 0.0)))
    told = f"{seen.same_passes} of {seen.passes} passes repeat an earlier one, batch by batch"
    yield fact(REPEATS, told, impossible=seen.same_passes > 0, p=p)
    if log_chance_batch is not None:
        p = seen.batches * (seen.batches - 1) / 2 * float(np.exp(min(log_chance_batch, 0.0)))
        told = f"{seen.same_batches} of {seen.batches} batches repeat an earlier one"
        yield fact(REPEATS, told, impossible=seen.same_batches > 0, p=p)


def each_pair_a_pass(seen: Observed, p: float) -> Iterator[SchemeTest]:
    """The pair of records most often in one batch of a pass; each is with probability p in every pass."""
    if seen.together is not None and (passes := seen.together_of // seen.steps):
        most = int(seen.together.max())
        told = f"two records that are in one batch in {most} of {passes} passes"
        chance = upper_tail(most, passes + 1, p, exact=True) * seen.together.size
        yield SchemeTest(kind=PAIRS, words=told, p=min(1.0, chance))
