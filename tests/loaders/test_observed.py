"""Counts of what was read, against sets in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.loaders import observed as module
from tests.loaders.simulated import observed, of_scheme


@pytest.fixture(params=["poisson", "weighted", "shuffled"])
def seen(request):
    return observed(13, of_scheme(request.param, 13, 5), 7, np.random.default_rng(3))


def batches(seen):
    ends = np.cumsum(seen.sizes)
    return [seen.flat[end - size : end].tolist() for size, end in zip(seen.sizes, ends, strict=True)]


@pytest.mark.parametrize("most", [10**7, 8 * 35])
def test_counts_are_those_of_sets(seen, most, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", most)
    given = batches(seen)
    sets = [set(each) for each in given]
    looked = [each for first, end in seen.looked_at for each in range(first, end)]
    assert len(looked) == seen.width == (13 if most > 1000 else 8)
    assert seen.repeated.tolist() == [len(set(each)) < len(each) for each in given]
    for record in range(13):
        assert seen.record_counts[record] == sum(each.count(record) for each in given)
        assert seen.pass_counts[2, record] == sum(each.count(record) for each in given[10:15])
    for lag in (1, 2, 5, 6):
        pairs = [at for at in range(35 - lag) if at % (2 * lag) < lag]
        both = sum(len(sets[at] & sets[at + lag] & set(looked)) for at in pairs)
        assert seen.in_both_batches(lag) == (both, len(pairs))
        at_two = [at for at in pairs if at % 5 == 2]
        assert seen.in_both_batches(lag, 2) == (
            sum(len(sets[at] & sets[at + lag] & set(looked)) for at in at_two),
            len(at_two),
        )
    for lag in (1, 2, 3):
        runs = [range(first, end - lag) for first, end in seen.looked_at]
        pairs = [at for run in runs for at in run if (at - run[0]) % (2 * lag) < lag]
        both = sum(at in each and at + lag in each for at in pairs for each in sets)
        assert seen.both_in_batch(lag) == (both, len(pairs), 35)
        both = sum(at in each and at + lag in each for at in pairs for each in sets[3::5])
        assert seen.both_in_batch(lag, 3) == (both, len(pairs), 7)


def test_blocks_cover_all(seen):
    blocks = seen.blocks(3)
    assert sum(each[1] for each in blocks) == seen.total
    assert sum(each[2] * each[3] for each in blocks) == 13 * 35
    _, count, rows, wide = blocks[1]
    (first, end), given = seen.block_positions(3)[1], batches(seen)
    inside = [record for at, each in enumerate(given) if first <= at % 5 < end for record in each if record < rows]
    assert (count, wide) == (len(inside), (end - first) * 7)


def test_pairs_and_repetitions(seen):
    sets = [set(each) for each in batches(seen)]
    together = [sum(a in each and b in each for each in sets) for a in range(13) for b in range(a + 1, 13)]
    assert seen.together.tolist() == together
    again = observed(13, of_scheme("shuffled-once", 13, 5), 4, np.random.default_rng(0))
    assert (again.same_passes, again.same_batches) == (3, 15)
    assert again.alike_records == 13 - 5
    assert observed(13, of_scheme("poisson", 13, 5), 4, np.random.default_rng(0)).same_passes == 0
