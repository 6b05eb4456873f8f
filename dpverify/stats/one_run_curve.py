"""Auditing with one training run, for a claim that is a trade-off curve: stronger than any of its points.

Result: Mahloujifar, Melis and Chaudhuri, arXiv 2410.22235. Each of m canaries takes one of k values, independently and
uniformly; r of them are guessed from the output. Let p_i be the probability of exactly i correct guesses. Choose a
canary at random and change its value to another one: the event "its old value is guessed, and at least c - 1 others are
correct" has probability sum_{i >= c} (i/m) p_i before and sum_{i >= c-1} ((r-i)/m) p_i / (k-1) after, and f bounds how
well neighbours can be distinguished. With fbar = 1 - f, concave, averaged over canaries and values (Jensen):

    sum_{i >= c} (i/m) p_i <= fbar( sum_{i >= c-1} ((r-i)/m) p_i / (k-1) )    for every c from 1 to r.

The recursion starts with probability alpha at exactly v correct guesses and gives each smaller count the smallest
probability that these inequalities allow. If the total exceeds 1, then P[correct >= v] < alpha under the claim, so v
refutes it. The tests compare with linear programming that no better conclusion follows from the inequalities.

Assumptions: those of `dpverify.stats.one_run`, and r fixed before the training. For inclusion (k = 2) a neighbour has
one canary added or removed, for k values one replaced. The curve must hold in both directions: `inverse` is that of the
weaker one. Limits: not exact for randomised response (`one_run` is), so both are used for an (epsilon, delta) claim.
Computing mu from the accuracy is different: it has no error probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats.intervals import check_level
from dpverify.stats.one_run import check_run

Inverse = Callable[[float], float]
"""Smallest false-positive rate at which the claim allows the true-positive rate x: fbar^-1, never rounded above it."""

ROUNDING = 1e-9
"""A sum must exceed r/m by this relative amount, which is larger than the rounding error of 1e5 steps."""

LARGEST_MU = 60.0
BISECTIONS = 60


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


def largest_refuted(refuted: Callable[[float], bool], *, start: float, end: float, steps: int = BISECTIONS) -> float:
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
