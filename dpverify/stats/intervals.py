"""One-sided Clopper-Pearson limits of a binomial probability, never on the wrong side.

Result: with K ~ Bin(n, p), the tails P_p(K >= k) and P_p(K <= k), seen as functions of the observed count, are
super-uniform at the true p (Clopper and Pearson, Biometrika 1934), so the p at which a tail equals alpha is a one-sided
limit that misses the truth with probability at most alpha, for every n and p.

Numerically the inverse of the incomplete beta function is unreliable: at n = 1e9, k = 1000 SciPy's `betaincinv` returns
a point with tail 1 instead of 1e-6. So every root is checked with the forward function (which the tests compare with
Arb): its tail must be just below the level. Otherwise the root is bisected.

Assumptions: independent trials, and a trial count fixed before looking. Limits: up to 1e10 trials. The two-sided
interval is different: it spends alpha/2 on each limit. Only anytime-valid bounds (`dpverify.stats.betting`) allow
repeated looks.

Quantiles of the binomial law, without the third of a second that importing ``scipy.stats`` takes.

The quantile is the smallest k with P(K <= k) >= level. Side of the error: none on purpose; where the probability at k
equals the level up to rounding, k may be off by one.

Of the hypergeometric law, the probabilities are summed within 12 standard deviations of the mean; less than 1e-30 lies
beyond. There k may be off by one where the probability at k equals the level up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats.rounding import FloatArray, down, up

SMALLEST_LEVEL = 1e-300
"""Smaller levels cannot be distinguished from an underflow."""

LARGEST_TRIALS = 10**10
"""The forward function's error grows with the number of trials; up to this number it is known to be small enough."""

LEVEL_SLACK = 1e-6
"""Roots are taken at alpha (1 - LEVEL_SLACK): far above the forward function's error, far below what matters."""

FORWARD_ERROR = 1e-8
"""Relative error allowed to the forward function (measured: 4e-10 at 1e9 trials, in proportion to them)."""

WINDOW = 1e-4
"""A root whose tail lies further than this (relative) below its level is solved again."""

TRUSTED_TAIL = 1e-250
"""Below this level the forward function may underflow, and the Chernoff bound, which is above the tail, is used."""

OUTWARD_ULPS = 4
BISECTIONS = 80


_CORRECTIONS = 4  # the first guess is off by one at most; more would be an error of the library


_WIDTH = 12.0


def clopper_pearson_lower(successes: ArrayLike, trials: ArrayLike, *, alpha: ArrayLike) -> FloatArray:
    """Lower confidence limit of a binomial probability.

    Parameters
    ----------
    successes, trials : array_like of int
        Counts, 0 <= successes <= trials and 1 <= trials <= 1e10; they broadcast.
    alpha : array_like of float
        One-sided error, in [1e-300, 1); broadcasts.

    Returns
    -------
    ndarray of float64
        The broadcast shape (0-d for scalars). Exactly 0 where there is no success; never 1.

    Raises
    ------
    InputError
        For counts or levels outside these ranges.

    Notes
    -----
    Side of the error: never above the exact limit BetaInv(alpha; k, n - k + 1), and below it by about 1e-6 of its
    distance to the estimate. Source: Clopper and Pearson (1934).
    """
    return _limits(successes, trials, alpha, upper=False)


def clopper_pearson_upper(successes: ArrayLike, trials: ArrayLike, *, alpha: ArrayLike) -> FloatArray:
    """Upper confidence limit of a binomial probability.

    Parameters, errors raised and shape as for `clopper_pearson_lower`; exactly 1 where every trial is a success,
    never 0.

    Notes
    -----
    Side of the error: never below the exact limit BetaInv(1 - alpha; k + 1, n - k).
    """
    return _limits(successes, trials, alpha, upper=True)


def check_counts(successes: ArrayLike, trials: ArrayLike) -> None:
    """Raise InputError unless these are counts: integers with 0 <= successes <= trials, 1 to 1e10 trials."""
    if _is_count(successes, trials):  # as in most calls
        return
    k, n = np.asarray(successes), np.asarray(trials)
    whole = np.issubdtype(k.dtype, np.integer) and np.issubdtype(n.dtype, np.integer)
    if not whole or not np.all((n >= 1) & (n <= LARGEST_TRIALS) & (k >= 0) & (k <= n)):
        raise InputError(
            f"{successes!r} successes of {trials!r} trials",
            allowed=f"integers with 0 <= successes <= trials and 1 <= trials <= {LARGEST_TRIALS:g}",
            remedy="pass counts, not rates",
        )


def check_level(alpha: ArrayLike) -> None:
    """Raise InputError unless every alpha is an error probability in [1e-300, 1)."""
    if _is_one_level(alpha):
        return
    level = np.asarray(alpha, dtype=np.float64)
    if not np.all((level >= SMALLEST_LEVEL) & (level < 1.0)):
        raise InputError(
            f"alpha = {alpha!r}",
            allowed=f"an error probability in [{SMALLEST_LEVEL:g}, 1)",
            remedy="alpha is 1 - confidence: 0.05 for 95 %",
        )


def _is_count(successes: object, trials: object) -> bool:
    return type(successes) is int and type(trials) is int and 0 <= successes <= trials and 1 <= trials <= LARGEST_TRIALS


def _is_one_level(alpha: object) -> bool:
    return isinstance(alpha, float) and SMALLEST_LEVEL <= alpha < 1.0


def _limits(successes: ArrayLike, trials: ArrayLike, alpha: ArrayLike, *, upper: bool) -> FloatArray:
    check_counts(successes, trials)
    check_level(alpha)
    k, n, level = (np.asarray(a, dtype=np.float64) for a in (successes, trials, alpha))
    if upper:  # P_q(K <= k) is the upper tail of the failures: n - k of n, each with probability 1 - q
        k = n - k
    with_half = np.asarray(special.betainc(np.maximum(k, 1.0), n - np.maximum(k, 1.0) + 1.0, 0.5)) >= level
    k, n, level, half = np.broadcast_arrays(k, n, level, with_half)
    # The root x of P_x(K >= k) = level, found as x where that is at most 1/2 and else as 1 - x: the small one keeps its
    # digits. The upper limit is 1 - x.
    limit = np.where(k > 0.0, np.nan, 1.0 if upper else 0.0)
    for complement in (False, True):
        here = (k > 0.0) & (half != complement)
        if here.any():
            root = _small_root(k[here], n[here], level[here], complement=complement)
            if upper != complement:
                root = up(1.0 - root, 1) if upper else down(1.0 - root, 1)
            limit[here] = np.clip(root, 0.0, 1.0)
    return limit


def _small_root(k: FloatArray, n: FloatArray, level: FloatArray, *, complement: bool) -> FloatArray:
    """Solve P_p(K >= k) = level for p, or for 1 - p (`complement`), whichever is at most 1/2; outward of the root."""
    aim = level * (1.0 - LEVEL_SLACK)
    if complement:
        root = up(special.betainccinv(n - k + 1.0, k, aim), OUTWARD_ULPS)
    else:
        root = down(special.betaincinv(k, n - k + 1.0, aim), OUTWARD_ULPS)
    tail = _tail(k, n, root, complement=complement)
    wrong = ~((tail <= level * (1.0 - FORWARD_ERROR)) & (tail >= level * (1.0 - WINDOW)))
    if wrong.any():
        k, n, aim = k[wrong], n[wrong], aim[wrong]
        root[wrong] = _bisect(lambda x: _tail(k, n, x, complement=complement) <= aim, k.size, rising=not complement)
    return root


def _tail(k: FloatArray, n: FloatArray, x: FloatArray, *, complement: bool) -> FloatArray:
    """P(K >= k) at p = x (or p = 1 - x), or the Chernoff bound above it where the forward function may underflow."""
    x = np.clip(x, 0.0, 1.0)
    forward = special.betaincc(n - k + 1.0, k, x) if complement else special.betainc(k, n - k + 1.0, x)
    tail = np.asarray(forward, dtype=np.float64)
    tiny = ~(tail >= TRUSTED_TAIL)
    if tiny.any():
        p, q = (1.0 - x, x) if complement else (x, 1.0 - x)
        exponent = special.rel_entr(k, n * p) + special.rel_entr(n - k, n * q)
        tail = np.where(tiny, np.where(n * p < k, np.exp(-exponent), 1.0), tail)
    return tail


def _bisect(inside: Callable[[FloatArray], NDArray[np.bool_]], size: int, *, rising: bool) -> FloatArray:
    """Largest x (rising tail) or smallest x (falling tail) in (0, 1/2] found inside, by geometric bisection."""
    low, high = np.full(size, 1e-305), np.full(size, 0.5)
    if rising:
        low = np.where(inside(low), low, 0.0)  # a root below every double: 0 is outward of it
    for _ in range(BISECTIONS):
        middle = np.sqrt(low) * np.sqrt(high)
        move_low = inside(middle) == rising
        low, high = np.where(move_low, middle, low), np.where(move_low, high, middle)
    return low if rising else high


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
