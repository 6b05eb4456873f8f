"""Loaders for tests, right and wrong: 500 records, 20 batches a pass."""

import os
import time

import numpy as np

N, BATCHES, SIZE, RATE = 500, 20, 25, 0.05
WEIGHTS = np.where(np.arange(N) < 50, 3.0, 1.0) / (N + 100)


def poisson(rng):
    for _ in range(BATCHES):
        yield np.flatnonzero(rng.random(N) < RATE)


def masks(rng):
    for _ in range(BATCHES):
        yield rng.random(N) < RATE


def rate_off(rng):
    for _ in range(BATCHES):
        yield np.flatnonzero(rng.random(N) < 0.055)


def fixed_size(rng):
    for _ in range(BATCHES):
        yield rng.choice(N, SIZE, replace=False)


def with_replacement(rng):
    for _ in range(BATCHES):
        yield rng.integers(N, size=SIZE)


def shuffled(rng):
    yield from rng.permutation(N).reshape(BATCHES, SIZE)


def drop_last(rng):
    order = rng.permutation(N)
    for start in range(0, N - 30, 30):
        yield order[start : start + 30]


class Once:
    def __init__(self, rng):
        self._order = rng.permutation(N)

    def __iter__(self):
        return iter(self._order.reshape(BATCHES, SIZE))


CYCLIC = np.arange(N).reshape(BATCHES, SIZE).tolist()


def balls_in_bins(rng):
    chosen = rng.integers(BATCHES, size=N)
    for each in range(BATCHES):
        yield np.flatnonzero(chosen == each)


def weighted(rng):
    for _ in range(BATCHES):
        yield rng.choice(N, SIZE, p=WEIGHTS)


def weighted_poisson(rng):
    for _ in range(BATCHES):
        yield np.flatnonzero(rng.random(N) < WEIGHTS * SIZE)


def cyclic_poisson(rng):
    """Every other batch takes from every other record, at twice the rate."""
    for each in range(BATCHES):
        yield np.flatnonzero((rng.random(N) < 2 * RATE) & (np.arange(N) % 2 == each % 2))


def twins(rng):
    """Two records far apart are always together."""
    for _ in range(BATCHES):
        half = np.flatnonzero(rng.random(N // 2) < RATE)
        yield np.concatenate([half, N - 1 - half])


def sticky(rng):
    """A record stays for the next batch a little more often than it comes."""
    now = rng.random(N) < RATE
    for _ in range(BATCHES):
        now = np.where(rng.random(N) < 0.05, now, rng.random(N) < RATE)
        yield np.flatnonzero(now)


def never_the_first(rng):
    for batch in poisson(rng):
        yield batch[batch > 0]


def reseeded():
    return poisson(np.random.default_rng(0))


def without_empty(rng):
    for _ in range(BATCHES):
        batch = np.flatnonzero(rng.random(N) < 0.002)
        if batch.size:
            yield batch


def capped(rng):
    for batch in poisson(rng):
        yield rng.permutation(batch)[:30]


def buffered(rng):
    """Shuffled within a window of 100 records."""
    yield from np.argsort(np.arange(N) + 100 * rng.random(N)).reshape(BATCHES, SIZE)


def endless(rng):
    while True:
        yield np.flatnonzero(rng.random(N) < RATE)


def no_batch():
    return []


def words():
    return [["a"]]


def outside():
    return [[0, N]]


def below():
    return [[-1]]


def raises():
    yield [1]
    raise ValueError("no\nmore")


def leaves():
    yield [1]
    raise SystemExit(3)


def hangs():
    yield [1]
    time.sleep(100)


def floats():
    return [[0.5]]


def single():
    return [1, 2, 3]


def rows():
    return [[[1, 2, 3], [4, 5, 6]]]


def nothing():
    return None


def ends_the_process():
    yield [1]
    os._exit(0)


def needs_more(size):
    return [[size]]


GENERATOR = poisson(np.random.default_rng(0))
