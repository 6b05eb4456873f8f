"""The kernel of ADP-SGD in all its versions, for linear models.

In every step it draws the batch (one bounded integer a record), then d normals, in the order of the loops. Its results
equal theirs up to the order of a sum (1e-12; the tests compare them on the same numbers).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.xoshiro import integer_below
from dpverify.sampling.ziggurat import normal
from reference_impls.models.linear import add_clipped_gradient

Float = NDArray[np.float64]

PUBLIC, RAW, NOISY = 0, 1, 2
"""What b_t depends on: nothing but t, the clean gradient, the noisy gradient."""


@njit(cache=True, nogil=True)
def adp_sgd_many(
    out: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    norms: Float,
    settings: tuple[int, int, float, float, float],
    planned: Float,
    scales: Float,
    grown: Float,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training in each row of `out`, shape (size, d); draws in the order of the loops.

    `settings` are the batch size, what b_t follows, clip, eta and b_0^2. b_t is `planned`, or its square starts at
    b_0^2 and grows by max(grown[0, t] |g|^2, grown[1, t]).
    """
    size, follows, clip, eta, first = settings
    order = np.empty(labels.size, dtype=np.int64)
    clean = np.empty(out.shape[1])
    noise = np.empty(out.shape[1])
    for trial in range(out.shape[0]):
        weights = out[trial]
        weights[:] = 0.0
        square = first
        for t in range(planned.size):
            if size == 1:
                order[0], s0, s1, s2, s3 = integer_below(labels.size, s0, s1, s2, s3)
            else:
                s0, s1, s2, s3 = shuffle_start(order, size, s0, s1, s2, s3)
            clean[:] = 0.0
            add_clipped_gradient(clean, code, h_bar, clip, weights, features, labels, norms, order[:size])
            length = 0.0
            for j in range(clean.size):
                clean[j] /= size
                noise[j], s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                followed = clean[j] if follows == RAW else clean[j] + scales[t] * noise[j]
                length += followed * followed
            b = planned[t]
            if follows != PUBLIC:
                square += max(grown[0, t] * length, grown[1, t])
                b = math.sqrt(square)
            step = eta / b
            for j in range(clean.size):
                if follows == RAW:
                    weights[j] -= step * clean[j] + (step * scales[t]) * noise[j]
                else:
                    weights[j] -= step * (clean[j] + scales[t] * noise[j])
