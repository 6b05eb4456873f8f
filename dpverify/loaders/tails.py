"""P-values of counts: exact for independent trials, Chernoff's bound where trials hold each other back.

A count of N trials has a mean between N low and N high under the scheme (one number where nothing is unknown).

- ``independent``: the trials are independent with one probability. The tail is the binomial one, exactly.
- ``negative``: the trials are negatively associated (inclusions in a sample of fixed size, in a permutation, counts of
  a multinomial; rising functions of disjoint sets of these; Joag-Dev and Proschan 1983), or a sum of hypergeometric
  counts. Then E e^(s K) is at most that of independent trials with the same mean (Hoeffding 1963, Theorems 1, 4), and
  the tail is at most exp(-N KL(K/N, p)).

Side of the error: never below the true tail probability, but for a relative 1e-6 of rounding, which is added.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

ROUNDING = 1e-6
LEAST = 1e-300
"""No tail of something possible is told as smaller; 0 is what cannot be."""


def upper_tail(count: int, trials: int, p: float, *, exact: bool) -> float:
    """P(K >= count), or a bound above it."""
    if count <= 0 or p >= 1.0:
        return 1.0
    if count > trials or p <= 0.0:
        return 0.0
    if exact:
        return min(1.0, max(float(special.betainc(count, trials - count + 1.0, p)) * (1.0 + ROUNDING), LEAST))
    return _chernoff(count, trials, p) if count > trials * p else 1.0


def lower_tail(count: int, trials: int, p: float, *, exact: bool) -> float:
    """P(K <= count), or a bound above it."""
    return upper_tail(trials - count, trials, 1.0 - p, exact=exact) if p > 1e-12 else 1.0


def _chernoff(count: int, trials: int, p: float) -> float:
    exponent = float(special.rel_entr(count, trials * p) + special.rel_entr(trials - count, trials * (1.0 - p)))
    return max(math.exp(-min(max(exponent, 0.0), 745.0)) * (1.0 + ROUNDING), LEAST)


def two_sided(count: int, trials: int, low: float, high: float, *, exact: bool) -> float:
    """Twice the smaller tail, each at the end of [low, high] where it is larger; at most 1."""
    if trials <= 0:
        return 1.0
    up, down = upper_tail(count, trials, high, exact=exact), lower_tail(count, trials, low, exact=exact)
    return min(1.0, 2.0 * min(up, down))


def at_least(least: int, trials: int, p: float) -> float:
    """P(Bin(trials, p) >= least)."""
    if least <= 0:
        return 1.0
    if least > trials or p <= 0.0:
        return 0.0
    return float(special.betainc(least, trials - least + 1.0, min(p, 1.0)))


def between(a: int, b: int, trials: int, low: float, high: float) -> tuple[float, float]:
    """Smallest and largest P(a <= Bin(trials, p) <= b) over p in [low, high].

    In p it rises and then falls; its derivative is trials times P(Bin(trials - 1) = a - 1) - P(Bin(trials - 1) = b).
    """

    def inside(p: float) -> float:
        return min(1.0, max(0.0, at_least(a, trials, p) - at_least(b + 1, trials, p)))

    ends = [inside(low), inside(high)]
    most = max(ends)
    if a >= 1 and b <= trials - 1:
        odds = (_log_choose(trials - 1, a - 1) - _log_choose(trials - 1, b)) / (b - a + 1)
        turn = float(special.expit(odds))
        if low < turn < high:
            most = max(most, inside(turn))
    return min(ends), most


def most_likely(trials: int, p: float, levels: tuple[float, ...]) -> list[int]:
    """Quantiles of Bin(trials, p) at these levels, rising, each once."""
    mean, spread = trials * p, math.sqrt(max(trials * p * (1.0 - p), 0.0))
    points = np.arange(max(0, math.floor(mean - 9 * spread) - 3), min(trials, math.ceil(mean + 9 * spread) + 3) + 1)
    below = 1.0 - np.array([at_least(int(k) + 1, trials, p) for k in points[:2000]])
    return sorted({int(points[min(int(np.searchsorted(below, level)), below.size - 1)]) for level in levels})


def _log_choose(n: int, k: int) -> float:
    return float(-special.betaln(n - k + 1.0, k + 1.0) - math.log1p(n))


def mean_between(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """Limits of the mean of so many trials, independent ones of different means, each side missed with alpha / 2."""
    if trials <= 0:
        return 0.0, 1.0

    def below(count: int) -> float:
        """The largest mean that makes `count` or more improbable."""
        low, high = 0.0, count / trials
        for _ in range(60):
            middle = (low + high) / 2
            unlikely = upper_tail(count, trials, middle, exact=False) <= alpha / 2
            low, high = (middle, high) if unlikely else (low, middle)
        return low

    return below(count), 1.0 - below(trials - count)
