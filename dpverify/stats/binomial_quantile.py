"""Quantiles of the binomial law, without the third of a second that importing ``scipy.stats`` takes.

The quantile is the smallest k with P(K <= k) >= level. Side of the error: none on purpose; where the probability at k
equals the level up to rounding, k may be off by one.

Of the hypergeometric law, the probabilities are summed within 12 standard deviations of the mean; less than 1e-30 lies
beyond. There k may be off by one where the probability at k equals the level up to rounding.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

_CORRECTIONS = 4  # the first guess is off by one at most; more would be an error of the library


_WIDTH = 12.0


def binomial_quantile(level: ArrayLike, trials: int, p: ArrayLike) -> NDArray[np.int64]:
    """The smallest k with P(K <= k) >= level, for K of the binomial law.

    Parameters
    ----------
    level : array_like
        In (0, 1).
    trials : int
        At least 1.
    p : array_like
        Probability of one success, in [0, 1].

    Returns
    -------
    array of int64
        Of the shape that `level` and `p` have together; in [0, trials].
    """
    asked, chance = np.broadcast_arrays(np.asarray(level, dtype=np.float64), np.asarray(p, dtype=np.float64))
    inside = np.clip(chance, 1e-300, 1.0 - 2.0**-53)
    guess = np.ceil(np.nan_to_num(special.bdtrik(asked, trials, inside)))
    found = np.clip(guess, 0, trials).astype(np.int64)
    for _ in range(_CORRECTIONS):
        less, more = _below(found - 1, trials, inside) >= asked, _below(found, trials, inside) < asked
        if not (less.any() or more.any()):
            break
        found = found + more - less
    return np.where(chance <= 0.0, 0, np.where(chance >= 1.0, trials, found))


def reaches(k: int, level: float, trials: int, p: float) -> bool:
    """Whether the quantile is at least `k`, for one p in (0, 1); as `binomial_quantile` has it."""
    return k <= 0 or (k <= trials and float(special.betaincc(float(k), trials - k + 1.0, p)) < level)


def _below(k: NDArray[np.int64], trials: int, p: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(K <= k), also for k = -1 and k = trials."""
    cut = np.clip(k, 0, max(trials - 1, 0))
    inside = special.betaincc(cut + 1.0, trials - cut.astype(np.float64), p)
    return np.where(k < 0, 0.0, np.where(k >= trials, 1.0, inside))


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
