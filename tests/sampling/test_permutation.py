"""Random orders and ordered samples: the plain shuffle as a twin, all its outcomes counted, and chi-squares."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from numba import njit
from scipy import stats

from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.streams import as_state, state_from, stream
from dpverify.sampling.xoshiro import integer_below

ALARM = 1e-9  # false-alarm probability of each of the two chi-squares below (smallest expected count: 5,000)


def shuffled(rows: int, picks: list[int]) -> list[int]:
    """Fisher and Yates as written in any book: pick i says which of those left comes next."""
    items = list(range(rows))
    for i, pick in enumerate(picks):
        items[i], items[i + pick] = items[i + pick], items[i]
    return items


@pytest.mark.parametrize(("rows", "size"), [(4, 4), (5, 5), (5, 2), (6, 3), (3, 0)])
def test_every_ordered_sample_comes_from_equally_many_picks(rows: int, size: int) -> None:
    """The picks are uniform and independent, so this is exact uniformity."""
    all_picks = itertools.product(*(range(rows - i) for i in range(min(size, rows - 1))))
    seen = Counter(tuple(shuffled(rows, list(picks))[:size]) for picks in all_picks)
    assert set(seen) == set(itertools.permutations(range(rows), size))
    assert len(set(seen.values())) == 1


@pytest.mark.parametrize(("rows", "size"), [(1, 1), (2, 2), (7, 7), (50, 50), (50, 3), (50, 0), (8, 20)])
def test_the_kernel_is_that_shuffle(rows: int, size: int) -> None:
    for trial in range(20):
        state = state_from(stream(0, "twin", rows, size, trial))
        out = np.full(rows, -1, dtype=np.int64)
        end = as_state(shuffle_start(out, size, *state))
        picks = []
        for i in range(min(size, rows - 1)):
            pick, *words = integer_below(rows - i, *state)
            picks.append(int(pick))
            state = as_state(words)
        assert out.tolist() == shuffled(rows, picks)
        assert end == state


def test_no_rows_draw_nothing() -> None:
    state = state_from(stream(0, "none"))
    assert as_state(shuffle_start(np.empty(0, dtype=np.int64), 0, *state)) == state


@njit(nogil=True)
def codes(out, size, trial, s0, s1, s2, s3):
    for i in range(out.size):
        s0, s1, s2, s3 = shuffle_start(trial, size, s0, s1, s2, s3)
        code = 0
        for j in range(size):
            code = code * trial.size + trial[j]
        out[i] = code


@pytest.mark.parametrize(("rows", "size"), [(4, 4), (5, 2)])
def test_orders_are_equally_frequent(rows: int, size: int) -> None:
    number = 5_000 * math.perm(rows, size)
    out = np.empty(number, dtype=np.int64)
    codes(out, size, np.empty(rows, dtype=np.int64), *state_from(stream(0, "orders", rows, size)))
    _, counts = np.unique(out, return_counts=True)
    assert counts.size == math.perm(rows, size)
    assert stats.chisquare(counts).pvalue > ALARM
