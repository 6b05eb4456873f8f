"""Batches of kernels: the samplers' own draws in the same order, and every shuffled epoch cut without a rest."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.recording.tape import Tape
from dpverify.sampling.poisson_subset import skip_scale
from dpverify.sampling.streams import state_from, stream
from reference_impls.optimizers.kernel_batches import FIXED_SIZE, POISSON, SHUFFLED, next_batch


def batches(sampling: int, rows: int, size: int, scale: float, count: int) -> list[list[int]]:
    order, end, state = np.empty(rows, dtype=np.int64), np.int64(rows), state_from(stream(4, "batches"))
    found = []
    for _ in range(count):
        start, stop, *after = next_batch(order, end, sampling, scale, size, *state)
        found.append(order[start:stop].tolist())
        end, state = np.int64(stop), [np.uint64(word) for word in after]  # compiled code returns Python's numbers
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7])
def test_a_shuffled_order_is_cut_into_batches_as_on_the_tape(size: int) -> None:
    rows, tape = 7, Tape(state_from(stream(4, "batches")))
    cuts = range(0, rows, size)
    expected = []
    for _ in range(3):
        order = tape.permutation("batch", rows).tolist()
        assert sorted(order) == list(range(rows))
        expected += [order[cut : cut + size] for cut in cuts]
    assert batches(SHUFFLED, rows, size, 0.0, 3 * len(cuts)) == expected


@pytest.mark.parametrize("size", [1, 3, 7])
def test_samples_of_a_fixed_size_are_the_tapes(size: int) -> None:
    tape = Tape(state_from(stream(4, "batches")))
    assert batches(FIXED_SIZE, 7, size, 0.0, 5) == [tape.subset("batch", 7, size).tolist() for _ in range(5)]


@pytest.mark.parametrize("rate", [0.05, 0.4, 1.0])
def test_poisson_samples_are_the_tapes(rate: float) -> None:
    tape = Tape(state_from(stream(4, "batches")))
    expected = [tape.poisson_subset("batch", 7, rate).tolist() for _ in range(8)]
    assert batches(POISSON, 7, 7, skip_scale(rate), 8) == expected
