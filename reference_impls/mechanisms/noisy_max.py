"""The kernel of report-noisy-max: noise on every score, and the largest noisy score with its index.

One kernel serves the three noises of the literature; which of the two results a mechanism releases (the index, or,
wrongly, the value) is the mechanism's affair. Limits: float64 noise; ties have probability zero up to rounding, and
go to the first index.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from dpverify.sampling.gumbel import gumbel
from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import exponential, laplace
from reference_impls.mechanisms.inputs import Float, Integer

Noise = Literal["laplace", "exponential", "gumbel"]
_CODES: dict[Noise, int] = {"laplace": 0, "exponential": 1, "gumbel": 2}


@njit(cache=True, nogil=True)
def _fill(
    winners: Integer,
    values: Float,
    histogram: Integer,
    size: int,
    scores: Float,
    scale: float,
    noise: int,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """Write indices and values (arrays of length 0 are left alone); add to the histogram of indices."""
    keep_winners, keep_values = winners.size > 0, values.size > 0
    for trial in range(size):
        top, winner = -np.inf, 0
        for i in range(scores.size):
            if noise == 0:
                draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
            elif noise == 1:
                draw, s0, s1, s2, s3 = exponential(s0, s1, s2, s3)
            else:
                draw, s0, s1, s2, s3 = gumbel(s0, s1, s2, s3)
            value = scores[i] + scale * draw
            if value > top:
                top, winner = value, i
        histogram[winner] += 1
        if keep_winners:
            winners[trial] = winner
        if keep_values:
            values[trial] = top


def noisy_winners(scores: Float, scale: float, noise: Noise, size: int, *, rng: np.random.Generator) -> Integer:
    """The index of the largest noisy score, `size` times: int64, shape (size,)."""
    winners, histogram = np.empty(size, dtype=np.int64), np.zeros(scores.size, dtype=np.int64)
    _fill(winners, np.empty(0), histogram, size, scores, scale, _CODES[noise], *state_from(rng))
    return winners


def noisy_winner_counts(scores: Float, scale: float, noise: Noise, size: int, *, rng: np.random.Generator) -> Integer:
    """How often each score had the largest noisy score among `size` runs: shape (k,)."""
    histogram = np.zeros(scores.size, dtype=np.int64)
    empty = np.empty(0, dtype=np.int64)
    _fill(empty, np.empty(0), histogram, size, scores, scale, _CODES[noise], *state_from(rng))
    return histogram


def noisy_maxima(scores: Float, scale: float, noise: Noise, size: int, *, rng: np.random.Generator) -> Float:
    """The largest noisy score itself, `size` times: float64, shape (size,)."""
    values, histogram = np.empty(size), np.zeros(scores.size, dtype=np.int64)
    empty = np.empty(0, dtype=np.int64)
    _fill(empty, values, histogram, size, scores, scale, _CODES[noise], *state_from(rng))
    return values
