"""The kernel of AboveThreshold: how often each index is the first to rise above a noisy threshold.

The state of the generator stays in registers and the histogram is filled inside the loop: above 40 million trials a
second on one core at 3.4 draws a trial (``tests/benchmarks/test_above_threshold.py``). Laplace noise only, because a
choice of noise inside the loop costs a fifth of that.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import laplace
from reference_impls.mechanisms.calibrated import Float, Integer


@njit(cache=True, nogil=True)
def _fill(
    stops: Integer,
    histogram: Integer,
    size: int,
    levels: Float,
    threshold_scale: float,
    query_scale: float,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """Add to the histogram of stopping indices, shape (m + 1,); write them too unless `stops` has length 0."""
    most, keep = levels.size, stops.size > 0
    for trial in range(size):
        draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
        threshold = threshold_scale * draw
        index = 0
        while index < most:
            draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
            if levels[index] + query_scale * draw >= threshold:
                break
            index += 1
        histogram[index] += 1
        if keep:
            stops[trial] = index


def stopping_counts(
    levels: Float, threshold_scale: float, query_scale: float, size: int, *, rng: np.random.Generator
) -> Integer:
    """How many of `size` runs stop at each of m levels (query minus threshold), and last at none: shape (m + 1,)."""
    histogram = np.zeros(levels.size + 1, dtype=np.int64)
    _fill(np.empty(0, dtype=np.int64), histogram, size, levels, threshold_scale, query_scale, *state_from(rng))
    return histogram


def stopping_indices(
    levels: Float, threshold_scale: float, query_scale: float, size: int, *, rng: np.random.Generator
) -> Integer:
    """The stopping index of each of `size` runs, m for "never": int64, shape (size,)."""
    stops, histogram = np.empty(size, dtype=np.int64), np.zeros(levels.size + 1, dtype=np.int64)
    _fill(stops, histogram, size, levels, threshold_scale, query_scale, *state_from(rng))
    return stops
