"""Noisy SGD as an observer of all its iterates sees it: each step's noisy sum, divided by the clipping threshold.

The observer knows all public numbers, so the iterates w_0 .. w_T give every noisy sum back, up to rounding:
sum_t = (w_t - w_(t+1) - eta l2 w_t) divisor / eta. With `divisor` None the observer is taken to know the number of
records, as everywhere in the literature.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def from_iterates(iterates: Float, *, step_size: float, l2: float, clip: float, divisor: float) -> Float:
    """Each step's noisy sum over the clipping norm, shape (T, d), from iterates of shape (T + 1, d)."""
    before, after = iterates[:-1], iterates[1:]
    with np.errstate(over="ignore", invalid="ignore"):  # a run may have diverged
        steps = (before - after) / step_size - l2 * before
        return np.asarray(steps * (divisor / record_unit(clip)))


def record_unit(clip: float) -> float:
    """The unit that noisy sums are given in: what one record may add to a sum, or 1 without clipping."""
    return clip if math.isfinite(clip) else 1.0
