"""How kernels draw their batches: Poisson samples, samples of a fixed size, or a shuffled order cut into batches."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.poisson_subset import poisson_subset

Integer = NDArray[np.int64]

POISSON, FIXED_SIZE, SHUFFLED = 0, 1, 2
"""The kinds of sampling, as kernels take them."""


@njit(cache=True, nogil=True)
def next_batch(
    order: Integer,
    end: np.int64,
    sampling: int,
    scale: float,
    size: int,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> tuple[np.int64, np.int64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """The next batch as ``order[start:end]``, and the generator's state; draws in the order of the loops.

    Parameters
    ----------
    order : int64, shape (n,)
        Holds the batch; with SHUFFLED the order of the whole epoch, which the caller must leave alone.
    end : int64
        Where the batch before ended; n at first, so that SHUFFLED begins with a fresh order.
    scale : float
        1 / -log(1 - q) for POISSON, see :func:`~dpverify.sampling.poisson_subset.skip_scale`; ignored by the others.
    size : int
        The batch size, at most n; ignored by POISSON.
    """
    if sampling == POISSON:
        count, s0, s1, s2, s3 = poisson_subset(order, scale, s0, s1, s2, s3)
        return np.int64(0), count, s0, s1, s2, s3
    if sampling == FIXED_SIZE:
        s0, s1, s2, s3 = shuffle_start(order, size, s0, s1, s2, s3)
        return np.int64(0), np.int64(size), s0, s1, s2, s3
    start = end
    if start == order.size:
        start = np.int64(0)
        s0, s1, s2, s3 = shuffle_start(order, order.size, s0, s1, s2, s3)
    return start, np.int64(min(int(start) + size, order.size)), s0, s1, s2, s3
