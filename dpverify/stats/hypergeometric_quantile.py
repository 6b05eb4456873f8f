"""Quantiles of the hypergeometric law, without the third of a second that importing ``scipy.stats`` takes.

The probabilities are summed within 12 standard deviations of the mean; less than 1e-30 lies beyond. Side of the error:
none on purpose; where the probability at k equals the level up to rounding, k may be off by one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

_WIDTH = 12.0


def hypergeometric_quantile(level: float, total: int, marked: int, drawn: int) -> int:
    """The smallest k with P(K <= k) >= level, for the number K of marked ones among those drawn.

    Parameters
    ----------
    level : float
        In (0, 1).
    total, marked, drawn : int
        How many there are, how many of them are marked, and how many are drawn without replacement; the last two are in
        [0, total].
    """
    least, most = max(0, drawn + marked - total), min(drawn, marked)
    if least == most:
        return least
    share = marked / total
    mean, spread = drawn * share, math.sqrt(drawn * share * (1.0 - share) * (total - drawn) / (total - 1.0))
    first = max(least, math.floor(mean - _WIDTH * spread) - 100)
    last = min(most, math.ceil(mean + _WIDTH * spread) + 100)
    k = np.arange(first, last + 1, dtype=np.float64)
    logs = _log_choose(marked, k) + _log_choose(total - marked, drawn - k)
    weights = np.exp(logs - logs.max())
    below = np.cumsum(weights) / weights.sum()
    return int(first + np.searchsorted(below, level))


def _log_choose(n: int, k: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(-special.betaln(n - k + 1.0, k + 1.0) - math.log1p(n))
