"""Noisy SGD as an observer of all its iterates sees it: each step's noisy sum, over the clipping norm.

The observer knows all public numbers, so the iterates give it every noisy sum back, up to rounding: from the iterates
w_0 .. w_T, sum_t = (w_t - w_(t+1) - eta l2 w_t) divisor / eta. For linear models and the published loop a kernel draws
the numbers of :func:`~reference_impls.optimizers.noisy_sgd.noisy_sgd_many` in the same order and keeps the sums
themselves; any other model or loop is run on the tape and read from its iterates, which shows whatever it did to them.

With `divisor` None the observer is taken to know the number of records, as everywhere in the literature.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.poisson_subset import poisson_subset
from dpverify.sampling.ziggurat import normal
from reference_impls.models.linear import add_clipped_gradient

Float = NDArray[np.float64]


def from_iterates(iterates: Float, *, step_size: float, l2: float, clip: float, divisor: float) -> Float:
    """Each step's noisy sum over the clipping norm, shape (T, d), from iterates of shape (T + 1, d)."""
    before, after = iterates[:-1], iterates[1:]
    with np.errstate(over="ignore", invalid="ignore"):  # a run that diverged is told apart all the same
        steps = (before - after) / step_size - l2 * before
        return np.asarray(steps * (divisor / record_unit(clip)))


def record_unit(clip: float) -> float:
    """What a record may add to a step's sum; 1 where nothing bounds it."""
    return clip if math.isfinite(clip) else 1.0


@njit(cache=True, nogil=True)
def noisy_sgd_traces(
    out: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    norms: Float,
    settings: tuple[int, float, float, float, float, float],
    divisor: float,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """The noisy sums of one training a row of `out`, shape (size, steps, d); draws in the order of the loop."""
    sampling, scale, noise, clip, step_size, l2 = settings
    rows = labels.size
    order = np.empty(rows, dtype=np.int64)
    weights = np.empty(out.shape[2])
    size = rows if sampling == 0 else min(int(scale), rows)
    for trial in range(out.shape[0]):
        weights[:] = 0.0
        start, end = np.int64(0), np.int64(rows)
        for step in range(out.shape[1]):
            if sampling == 0:  # Poisson
                end, s0, s1, s2, s3 = poisson_subset(order, scale, s0, s1, s2, s3)
            elif sampling == 1:  # a fixed size
                s0, s1, s2, s3 = shuffle_start(order, size, s0, s1, s2, s3)
                end = np.int64(size)
            else:  # shuffled
                start = np.int64(0) if end == rows else end
                if start == 0:
                    s0, s1, s2, s3 = shuffle_start(order, rows, s0, s1, s2, s3)
                end = np.int64(min(int(start) + size, rows))
            total = out[trial, step]
            total[:] = 0.0
            add_clipped_gradient(total, code, h_bar, clip, weights, features, labels, norms, order[start:end])
            for j in range(total.size):
                unit_normal, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                total[j] += noise * unit_normal
                weights[j] -= step_size * (total[j] / divisor + l2 * weights[j])
