"""Auditing with one training run: how many correct guesses of canaries' inclusion an (epsilon, delta) claim allows.

Result: Steinke, Nasr and Jagielski, arXiv 2305.08846, Theorem 5.2. Each of m canaries is included by an independent
fair coin, and r of them are guessed from the training's output alone. Under (epsilon, delta) the number of correct
guesses is hardly larger than Bin(r, q), q = e^epsilon / (1 + e^epsilon):

    P[correct >= v] <= beta + 2 m delta max_{1 <= i <= v} P[v > Bin(r, q) >= v - i] / i,    beta = P[Bin(r, q) >= v].

Reason for delta = 0: given the output and the coins of earlier canaries, the odds of a canary's coin are at most
e^epsilon to 1 either way. So each guess is correct with probability at most q, given all earlier ones, and the number
of guesses may even depend on the output. With `values` > 2 equally likely values of a canary, the same argument gives q
= e^epsilon / (e^epsilon + values - 1); delta > 0 is not derived for these (`one_run_curve` covers it).

Assumptions: the coins are independent and fair, and the guesses depend on inclusion only through the output; r is fixed
before the training (or delta is 0). With unfair coins a constant guess is correct too often, and including exactly half
of the canaries is not a set of independent coins. Limits: at most about ln(r / ln(1/alpha)) can be shown. A binomial
test of accuracy 1/2 is different: it refutes epsilon = 0 only.

For a claim that is a trade-off curve there is a stronger test than any of its points.

Result: Mahloujifar, Melis and Chaudhuri, arXiv 2410.22235. Each of m canaries takes one of k values, independently and
uniformly; r of them are guessed from the output. Let p_i be the probability of exactly i correct guesses. Choose a
canary at random and change its value to another one: the event "its old value is guessed, and at least c - 1 others are
correct" has probability sum_{i >= c} (i/m) p_i before and sum_{i >= c-1} ((r-i)/m) p_i / (k-1) after, and f bounds how
well neighbours can be distinguished. With fbar = 1 - f, concave, averaged over canaries and values (Jensen):

    sum_{i >= c} (i/m) p_i <= fbar( sum_{i >= c-1} ((r-i)/m) p_i / (k-1) )    for every c from 1 to r.

The recursion starts with probability alpha at exactly v correct guesses and gives each smaller count the smallest
probability that these inequalities allow. If the total exceeds 1, then P[correct >= v] < alpha under the claim, so v
refutes it. The tests compare with linear programming that no better conclusion follows from the inequalities.

Assumptions: those above, and r fixed before the training. For inclusion (k = 2) a neighbour has one canary added or
removed, for k values one replaced. The curve must hold in both directions: `inverse` is that of the weaker one. Limits:
not exact for randomised response (the binomial test is), so both are used for an (epsilon, delta) claim. Computing mu
from the accuracy is different: it has no error probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats.epsilon import check_delta, check_epsilon
from dpverify.stats.intervals import check_level, clopper_pearson_lower
from dpverify.stats.rounding import FloatArray, down

LARGEST_CANARIES = 10**6
FORWARD_SLACK = 1e-8
"""Relative amount added to p-values; larger than the error of the incomplete beta function at so many guesses."""

GRID = 64
"""Epsilons at which p is computed before the crossing is bisected, since p is not proved to increase with epsilon."""

BISECTIONS = 60

GRIDDED = 1.05
"""Ratio between the numbers i at which the delta term is computed before it is searched in between."""


Inverse = Callable[[float], float]
"""Smallest false-positive rate at which the claim allows the true-positive rate x: fbar^-1, never rounded above it."""

ROUNDING = 1e-9
"""A sum must exceed r/m by this relative amount, which is larger than the rounding error of 1e5 steps."""

LARGEST_MU = 60.0
CURVE_BISECTIONS = 60


def check_run(correct: int, guesses: int, canaries: int, *, values: int = 2) -> None:
    """Raise InputError unless 0 <= correct <= guesses <= canaries, 1 <= guesses and values >= 2."""
    if not (0 <= correct <= guesses <= canaries <= LARGEST_CANARIES and guesses >= 1 and values >= 2):
        raise InputError(
            f"{correct} right of {guesses} guesses on {canaries} canaries of {values} values",
            allowed=f"0 <= right <= guesses <= canaries <= {LARGEST_CANARIES}, at least one guess and two values",
        )


def one_run_p_value(
    correct: int, guesses: int, canaries: int, *, epsilon: float, delta: float = 0.0, values: int = 2
) -> float:
    """Largest probability of at least `correct` correct guesses under an (epsilon, delta) claim.

    Parameters
    ----------
    correct, guesses, canaries : int
        v, r and m.
    epsilon, delta : float
        The claim: epsilon in nats, delta in [0, 1).
    values : int
        Equally likely values of a canary: 2 for in or out.

    Returns
    -------
    float
        In [0, 1]; rounded up.

    Raises
    ------
    InputError
        For values out of range, and for delta > 0 with more than two values.
    """
    check_run(correct, guesses, canaries, values=values)
    check_epsilon(epsilon)
    check_delta(delta)
    if delta > 0 and values > 2:
        raise InputError(
            f"delta = {delta} with canaries of {values} values",
            allowed="delta = 0, or two values",
            remedy="the curve form (dpverify.stats.one_run) takes both",
        )
    if correct == 0:
        return 1.0
    # 1 - q keeps its digits for large epsilon: P[Bin(r, q) >= k] from the side of the failures
    wrong = (values - 1.0) / (values - 1.0 + math.exp(min(epsilon, 700.0)))
    beta = float(special.betaincc(guesses - correct + 1.0, float(correct), wrong))
    p = beta
    if delta > 0:
        p += 2.0 * canaries * delta * _largest_share(correct, guesses, wrong, beta)
    return min(1.0, p * (1.0 + FORWARD_SLACK))


def _largest_share(correct: int, guesses: int, wrong: float, beta: float) -> float:
    """Exact max over i of P[v > Bin(r, q) >= v - i] / i, without computing it for every i.

    The probability increases with i, so between two grid points the share is at most the probability at the later one
    divided by the earlier number. Only intervals where this exceeds the best share found need a search.
    """

    def probability(i: NDArray[np.int64]) -> FloatArray:
        below = correct - i
        reached = special.betaincc(guesses - below + 1.0, np.maximum(below, 1).astype(np.float64), wrong)
        return np.asarray(np.where(below > 0, reached, 1.0) - beta)

    steps = math.ceil(math.log(correct) / math.log(GRIDDED)) + 2
    grid = np.unique(np.geomspace(1, correct, steps).round().astype(np.int64))
    found = probability(grid)
    best = float(np.max(found / grid))
    for place in np.flatnonzero(found[1:] / (grid[:-1] + 1) > best):
        between = np.arange(grid[place] + 1, grid[place + 1])
        if between.size:
            best = max(best, float(np.max(probability(between) / between)))
    return best


def one_run_epsilon_lower(
    correct: int, guesses: int, canaries: int, *, alpha: float, delta: float = 0.0, values: int = 2
) -> float:
    """Lower confidence bound on epsilon at a given delta.

    Parameters
    ----------
    correct, guesses, canaries, delta, values
        As for `one_run_p_value`.
    alpha : float
        One-sided error probability.

    Returns
    -------
    float
        In nats, at least 0; finite for a perfect attack. Side of the error: never above the smallest epsilon that is
        not refuted. (If p were not monotone, the largest refuted epsilon would be another number; this was never
        observed.)
    """
    check_level(alpha)

    def refuted(epsilon: float) -> bool:
        p = one_run_p_value(correct, guesses, canaries, epsilon=epsilon, delta=delta, values=values)
        return p <= alpha

    if not refuted(0.0):
        return 0.0
    # beta alone exceeds alpha here, so the crossing is below
    right = float(clopper_pearson_lower(correct, guesses, alpha=alpha))
    end = math.log(right) - math.log1p(-right) + math.log(values - 1.0) + 1e-6
    grid = np.linspace(0.0, end, GRID)
    place = next((i for i in range(1, GRID) if not refuted(float(grid[i]))), GRID - 1)
    low, high = float(grid[place - 1]), float(grid[place])
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return float(down(low, 1))


def curve_excess(
    correct: int, guesses: int, canaries: int, *, alpha: float, inverse: Inverse, values: int = 2
) -> float:
    """By how much the total probability of the counts would exceed 1 if P[correct >= v] were alpha or more.

    Parameters
    ----------
    correct, guesses, canaries : int
        v, r and m.
    alpha : float
        One-sided error probability.
    inverse : callable
        See `Inverse`.
    values : int
        k.

    Returns
    -------
    float
        Above 0 exactly where the claim is refuted: P[correct >= v] < alpha under it. Rounded down; where it is above 0
        the recursion stops, so its size then says nothing more.

    Raises
    ------
    InputError
        For values out of range.
    """
    check_run(correct, guesses, canaries, values=values)
    check_level(alpha)
    if correct == 0:
        return alpha - 1.0
    right = alpha * correct / canaries
    wrong = alpha * (guesses - correct) / canaries
    others, scale = values - 1.0, canaries / guesses * (1.0 - ROUNDING)
    for i in range(correct - 1, -1, -1):
        needed = others * inverse(right)
        if needed <= wrong or (right + wrong) * scale > 1.0:
            break  # nothing changes from here on, or it is decided, since both sums only grow
        right = min(1.0, right + i / (guesses - i) * (needed - wrong))
        wrong = needed
    return (right + wrong) * scale - 1.0


def gaussian_inverse(mu: float) -> Inverse:
    """`Inverse` of mu-GDP: Phi(Phi^-1(x) - mu)."""

    def inverse(x: float) -> float:
        return float(special.ndtr(special.ndtri(min(x, 1.0)) - mu))

    return inverse


def one_run_mu_lower(correct: int, guesses: int, canaries: int, *, alpha: float, values: int = 2) -> float:
    """Lower confidence bound on mu of Gaussian differential privacy.

    Parameters
    ----------
    correct, guesses, canaries, alpha, values
        As for `curve_excess`.

    Returns
    -------
    float
        At least 0. Side of the error: above the least mu that the training satisfies with probability at most alpha. It
        can be converted to epsilon only where the trade-off is known to be Gaussian.
    """
    return largest_refuted(
        lambda mu: (
            curve_excess(correct, guesses, canaries, alpha=alpha, inverse=gaussian_inverse(mu), values=values) > 0
        ),
        start=1.0,
        end=LARGEST_MU,
    )


def largest_refuted(
    refuted: Callable[[float], bool], *, start: float, end: float, steps: int = CURVE_BISECTIONS
) -> float:
    """Largest refuted parameter of a family of weaker and weaker claims, rounded down; 0 if none is refuted.

    Parameters
    ----------
    refuted : callable
        Whether the claim with this parameter is refuted; a larger parameter is a weaker claim.
    start : float
        First parameter of the doubling search.
    end : float
        Largest parameter.
    steps : int
        Number of bisection steps.
    """
    if not (0.0 < start <= end and math.isfinite(end)):
        raise InputError(f"a search from {start} to {end}", allowed="0 < start <= end, finite")
    if not refuted(0.0):
        return 0.0
    low, high = 0.0, start
    while refuted(high):
        if high >= end:
            return end
        low, high = high, min(2.0 * high, end)
    for _ in range(steps):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low
