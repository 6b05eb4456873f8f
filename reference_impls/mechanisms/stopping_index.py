"""The kernel of AboveThreshold: the first index that rises above a noisy threshold, with Laplace or Gaussian noise.

A threshold noise is drawn once, then one noise for each level in turn, until ``level + noise >= threshold``; the order
of the draws is that of BLSGD's Algorithm 1, with threshold 0. The state of the generator stays in registers and the
histogram is filled inside the loop: above 40 million trials a second on one core at 3.4 draws a trial
(``tests/benchmarks/test_above_threshold.py``). The loop is compiled once for each noise, because a choice of noise
inside it costs a fifth of that.

Limits: float64 noise, for verification and not for release. The exact law of the index is in ``dpverify.laws``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from dpverify.laws.stopping import Noise
from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import laplace, normal
from reference_impls.mechanisms.inputs import Float, Integer


def _filling(noise: Callable[..., Any]) -> Callable[..., None]:
    """The loop for one noise, to be called from a kernel of this module: only that can be cached, closures cannot."""

    @njit(nogil=True)
    def fill(
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
            draw, s0, s1, s2, s3 = noise(s0, s1, s2, s3)
            threshold = threshold_scale * draw
            index = 0
            while index < most:
                draw, s0, s1, s2, s3 = noise(s0, s1, s2, s3)
                if levels[index] + query_scale * draw >= threshold:
                    break
                index += 1
            histogram[index] += 1
            if keep:
                stops[trial] = index

    return fill


_laplace, _gaussian = _filling(laplace), _filling(normal)


@njit(cache=True, nogil=True)
def _fill_laplace(*arguments: Any) -> None:
    _laplace(*arguments)


@njit(cache=True, nogil=True)
def _fill_gaussian(*arguments: Any) -> None:
    _gaussian(*arguments)


_FILL = {"laplace": _fill_laplace, "gaussian": _fill_gaussian}


def stop_counts(
    noise: Noise, levels: Float, scales: tuple[float, float], size: int, *, rng: np.random.Generator
) -> Integer:
    """How many of `size` runs stop at each of m levels (query minus threshold), and last at none: shape (m + 1,).

    `scales` are those of the threshold's and of a query's noise (a Laplace's b, a Gaussian's standard deviation).
    """
    histogram = np.zeros(levels.size + 1, dtype=np.int64)
    _FILL[noise](np.empty(0, dtype=np.int64), histogram, size, levels, *scales, *state_from(rng))
    return histogram


def stop_indices(
    noise: Noise, levels: Float, scales: tuple[float, float], size: int, *, rng: np.random.Generator
) -> Integer:
    """The index at which each of `size` runs stops, m for "never": int64, shape (size,); otherwise as above."""
    stops, histogram = np.empty(size, dtype=np.int64), np.zeros(levels.size + 1, dtype=np.int64)
    _FILL[noise](stops, histogram, size, levels, *scales, *state_from(rng))
    return stops
