"""One training with many canaries, for a claim that is a trade-off curve: stronger than any of its points.

Result: Mahloujifar, Melis and Chaudhuri, arXiv 2410.22235. Each of m canaries takes one of k values, independently and
evenly; r of them are guessed from the output. Write p_i for the probability of exactly i right guesses. Pick a canary
at random and redraw its value to another one: the event "it is guessed as it was, and at least c - 1 others are right"
has probability sum_{i >= c} (i/m) p_i before and sum_{i >= c-1} ((r-i)/m) p_i / (k-1) after, and neighbours are told
apart by f at best. With fbar = 1 - f, concave, averaged over canaries and values (Jensen):

    sum_{i >= c} (i/m) p_i <= fbar( sum_{i >= c-1} ((r-i)/m) p_i / (k-1) )    for every c from 1 to r.

The recursion starts with probability alpha at exactly v right guesses and gives each smaller count the least that these
inequalities leave; where more than 1 is needed in all, P[correct >= v] < alpha under the claim, so v refutes it. That
this is the best the inequalities allow is checked against linear programming in the tests.

Assumptions: those of `dpverify.stats.one_run`, and r fixed before the training. For in and out (k = 2) a neighbour is
one canary added or removed, for k values one replaced. The curve must hold both ways: `inverse` is that of the weaker
direction. Limits: not exact for randomised response (there `one_run` is), which is why both are asked for an
(epsilon, delta) claim. Often confused with reading mu off the accuracy, which has no error probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats.intervals import check_level
from dpverify.stats.one_run import check_run

Inverse = Callable[[float], float]
"""Least false-positive rate at which the claim allows a true-positive rate x: fbar^-1, never above the claim's own."""

ROUNDING = 1e-9
"""A sum must pass r/m by this (relative) to count: above the rounding of 1e5 steps."""

LARGEST_MU = 60.0
BISECTIONS = 60


def curve_excess(
    correct: int, guesses: int, canaries: int, *, alpha: float, inverse: Inverse, values: int = 2
) -> float:
    """By how much the guess counts' total probability would have to exceed 1, were so many right guesses likely.

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
            break  # nothing changes from here on; or it is decided, since both only grow
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
        At least 0. Side of the error: above the least mu that the training satisfies with probability at most alpha.
        To be read as epsilon only where the trade-off is known to be Gaussian.
    """
    return largest_refuted(
        lambda mu: (
            curve_excess(correct, guesses, canaries, alpha=alpha, inverse=gaussian_inverse(mu), values=values) > 0
        ),
        start=1.0,
        end=LARGEST_MU,
    )


def largest_refuted(refuted: Callable[[float], bool], *, start: float, end: float, steps: int = BISECTIONS) -> float:
    """Where refutation ends along a family of ever weaker claims, from below; 0 where nothing is refuted.

    Parameters
    ----------
    refuted : callable
        Whether the claim with this number is refuted; the larger the number, the weaker the claim.
    start : float
        Where the search begins to double.
    end : float
        Never gone beyond.
    steps : int
        Halvings at the end.
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
