"""Where AboveThreshold stops, with Laplace or with Gaussian noise: the only random part of a noisy line search.

A threshold noise is drawn once, then one noise for each level in turn, until ``level + noise >= threshold``; the order
of the draws is that of BLSGD's Algorithm 1, with threshold 0. The Laplace kernel is the one of the sparse vector
mechanisms; the Gaussian one is here (one kernel for both would cost a fifth of the speed).

Limits: float64 noise, for verification and not for release. The exact law of the index is in ``dpverify.laws``.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import normal
from reference_impls.mechanisms.stopping_index import stopping_counts, stopping_indices

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
Noise = Literal["laplace", "gaussian"]


@njit(cache=True, nogil=True)
def _fill_gaussian(
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
        draw, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
        threshold = threshold_scale * draw
        index = 0
        while index < most:
            draw, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
            if levels[index] + query_scale * draw >= threshold:
                break
            index += 1
        histogram[index] += 1
        if keep:
            stops[trial] = index


def stop_counts(
    noise: Noise, levels: Float, scales: tuple[float, float], size: int, *, rng: np.random.Generator
) -> Integer:
    """How many of `size` runs stop at each of the m levels, and last at none: shape (m + 1,).

    `scales` are those of the threshold's and of a query's noise (a Laplace's b, a Gaussian's standard deviation).
    """
    if noise == "laplace":
        return stopping_counts(levels, *scales, size, rng=rng)
    histogram = np.zeros(levels.size + 1, dtype=np.int64)
    _fill_gaussian(np.empty(0, dtype=np.int64), histogram, size, levels, *scales, *state_from(rng))
    return histogram


def stop_indices(
    noise: Noise, levels: Float, scales: tuple[float, float], size: int, *, rng: np.random.Generator
) -> Integer:
    """The index at which each of `size` runs stops, m for "never": int64, shape (size,); otherwise as above."""
    if noise == "laplace":
        return stopping_indices(levels, *scales, size, rng=rng)
    stops, histogram = np.empty(size, dtype=np.int64), np.zeros(levels.size + 1, dtype=np.int64)
    _fill_gaussian(stops, histogram, size, levels, *scales, *state_from(rng))
    return stops
