"""What betting on a number of pairs can show at most, and what it would show with a stated power.

Results: a stake's wealth rises with every hit under P and falls with every hit under Q, whatever the other side does.
So if K1 >= k1, K2 <= k2 and, given those, N11 >= n11 (pairs in which the event came on both sides: hypergeometric, as
the pairing is random) each hold with probability power^(1/3), the wealth at (k1, k2, n11) is reached with probability
at least `power` (monotone coupling). A wealth that is reached at the last pair was reached at some time.

Assumptions: one event known in advance, with equal weights of the stakes in one settlement. Limits: sufficient, not
exact: the true smallest detectable violation is smaller. The caller must subtract the pairs that are used to learn the
event. This is no proof that smaller violations are absent.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats.e_mixture import FRACTIONS, Settlement
from dpverify.stats.intervals import LARGEST_TRIALS, binomial_quantile, check_level, hypergeometric_quantile, reaches
from dpverify.stats.rounding import FloatArray

BISECTIONS = 40


def even(slopes: ArrayLike, deltas: ArrayLike, fractions: FloatArray = FRACTIONS) -> Settlement:
    """Bets with equal weights of all stakes on one event, for a chain of lines, shape (claims,)."""
    slope, delta = (np.atleast_1d(np.asarray(values, dtype=np.float64))[:, None] for values in (slopes, deltas))
    weights = np.full((slope.shape[0], 1, fractions.size), 1.0 / fractions.size)
    return Settlement(slopes=slope, deltas=delta, weights=weights, fractions=fractions)


def perfect_wealth(pairs: int, slopes: ArrayLike, deltas: ArrayLike) -> FloatArray:
    """Wealth after `pairs` pairs whose event always holds under P and never under Q, shape (claims,); may be inf."""
    return even(slopes, deltas).wealth(np.array([[0, 0, pairs, 0]]))


def pairs_needed(slopes: ArrayLike, deltas: ArrayLike, *, alpha: float) -> int:
    """The fewest pairs with which a perfect event reaches 1/alpha against some one of the lines p <= slope q + delta.

    Raises
    ------
    InputError
        When even 1e10 pairs are too few.
    """
    check_level(alpha)

    def refutes(pairs: int) -> bool:
        return float(np.max(perfect_wealth(pairs, slopes, deltas))) >= 1.0 / alpha

    low, high = 0, 1
    while not refutes(high):
        low, high = high, 2 * high
        if high > 2 * LARGEST_TRIALS:
            raise InputError(
                f"a claim that {LARGEST_TRIALS:g} pairs of draws could not refute",
                allowed="an epsilon below the logarithm of the number of pairs",
                remedy="use an exact law or a deterministic check instead of sampling",
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refutes(middle) else (middle, high)
    return high


def likely_wealth(p: float, q: float, pairs: int, slopes: ArrayLike, deltas: ArrayLike, *, power: float) -> FloatArray:
    """A wealth that betting against each line reaches with probability at least `power`, shape (lines,).

    Parameters
    ----------
    p, q : float
        The event's probabilities under P and under Q.
    pairs : int
        Pairs bet on.
    slopes, deltas : array_like
        The lines.
    power : float
        In (0, 1).

    Raises
    ------
    InputError
        For values outside these ranges.
    """
    if not (0.0 <= p <= 1.0 and 0.0 <= q <= 1.0 and 0.0 < power < 1.0):
        raise InputError(f"p = {p!r}, q = {q!r}, power = {power!r}", allowed="p, q in [0, 1], power in (0, 1)")
    each = power ** (1.0 / 3.0)
    k1 = int(binomial_quantile(1.0 - each, pairs, p))
    k2 = int(binomial_quantile(each, pairs, q))
    return _wealth(k1, k2, pairs, even(slopes, deltas), each)


def _wealth(k1: int, k2: int, pairs: int, bets: Settlement, each: float) -> FloatArray:
    """The wealth at these hits, with so few of them on both sides as it is likely with probability `each`."""
    both = hypergeometric_quantile(1.0 - each, pairs, k1, k2) if k1 and k2 else 0
    return bets.wealth(np.array([[pairs - k1 - k2 + both, k2 - both, k1 - both, both]]))


def detectable_hits(
    q: float, pairs: int, slopes: ArrayLike, deltas: ArrayLike, *, alpha: float, power: float = 0.8
) -> float:
    """The smallest p at which betting on an event of probability q would refute some one of the lines; inf without one.

    Parameters are those of `likely_wealth`; the lines are all implied by one claim, and the best is bet on. Side of the
    error: at this p betting refutes with probability at least `power`.
    """
    check_level(alpha)
    if pairs < 1 or float(np.max(likely_wealth(1.0, q, pairs, slopes, deltas, power=power))) < 1.0 / alpha:
        return math.inf
    each, bets = power ** (1.0 / 3.0), even(slopes, deltas)
    k2 = int(binomial_quantile(each, pairs, q))
    fewest = _fewest(lambda k1: float(np.max(_wealth(k1, k2, pairs, bets, each))) >= 1.0 / alpha, pairs)
    low, high = float(special.expit(-700.0)), 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reaches(fewest, 1.0 - each, pairs, middle) else (middle, high)
    return high


def _fewest(refutes: Callable[[int], bool], most: int) -> int:
    """The fewest hits that refute, where `most` do: the wealth rises with them."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refutes(middle) else (middle, high)
    return high
