"""The kernel of `dpverify.stats.e_mixture` in numpy, the same to the bit, for audits too short to load numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.stats.e_mixture import ROUNDING_PER_PAIR, RUINED, STOP_WEALTH
from dpverify.stats.rounding import FloatArray


def _bet(
    kinds: NDArray[np.int8],
    factors: FloatArray,
    settled: FloatArray,
    capital: FloatArray,
    peak: FloatArray,
    reached: NDArray[np.int64],
    threshold: float,
    before: int,
) -> None:
    """Multiply the bets by their factors, pair by pair, in place; sums are taken in the kernel's order."""
    slots = np.arange(capital.shape[1])

    def totals() -> FloatArray:
        parts = np.concatenate([settled[:, None], capital.reshape(len(capital), -1)], axis=1)
        return np.asarray(np.add.accumulate(parts, axis=1)[:, -1])

    total = totals()
    for t, kind in enumerate(kinds):
        going = ~(total > STOP_WEALTH)
        after = capital * factors[:, slots, kind]
        after[~(after > RUINED)] = 0.0
        capital[going] = after[going]
        total = np.where(going, totals(), total)
        higher = going & (total > peak)
        peak[higher] = total[higher]
        there = total * (1.0 - ROUNDING_PER_PAIR * (before + t + 101)) >= threshold
        reached[higher & (reached < 0) & there] = before + t + 1
