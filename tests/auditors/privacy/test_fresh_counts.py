"""Counts in fresh draws: a plain loop gives the same, and parts are kept for what they count and for nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from auditors.privacy.outputs import Drawer, fresh_counts
from dpverify.core.subjects import Pair
from dpverify.definitions.pure_dp import PureDP

PAIR = Pair(d0=[0.0], d1=[1.0])
TRIALS = 600_000


@pytest.fixture
def task(event_task, noise, pair):
    return event_task(noise(), PureDP(epsilon=1.0), pair([0.0], [1.0]), trials=TRIALS)


def over(sample):
    return int(np.count_nonzero(sample.values > 0.5))


def thirds(sample):
    return np.bincount(np.digitize(sample.values, [0.0, 1.0]), minlength=3)


@pytest.mark.parametrize("count", [over, thirds])
def test_a_plain_loop_counts_the_same(task, noise, count):
    subject = noise()
    *_, (counts, drawn) = fresh_counts(task, Drawer(subject, PAIR), subject, count, about="x")
    plain, drawer = [0, 0], Drawer(subject, PAIR)
    sizes = drawer.chunks(TRIALS)
    assert len(sizes) > 2
    for side in (0, 1):
        for place, size in enumerate(sizes):
            plain[side] = plain[side] + count(drawer.draw(side, size, rng=task.stream("certify", side, place)))
    assert drawn == 2 * TRIALS
    assert np.array_equal(counts, plain)
    assert counts.sum() > 0


def test_parts_are_known_by_what_they_count(task, noise):
    names = []

    def chunks(name, count, work):
        names.append(name)
        return map(work, range(count))

    subject, kept = noise(), replace(task, chunks=chunks)
    for about in ("x", "x", "y"):
        list(fresh_counts(kept, Drawer(subject, PAIR), subject, over, about=about))
    assert names[0] == names[1] != names[2]


def test_who_may_remember_is_counted_here_and_now(task):
    def chunks(*_):
        raise AssertionError("asked to keep parts")

    class Forgetful:
        def sample(self, dataset, size, *, rng):
            return rng.normal(size=size)

    subject = Forgetful()
    *_, (_, drawn) = fresh_counts(replace(task, chunks=chunks), Drawer(subject, PAIR), subject, over, about="x")
    assert drawn == 2 * TRIALS
