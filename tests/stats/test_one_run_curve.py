"""One run against a curve: golden values, linear programming, and that guesses on known mechanisms stay below."""

import math

import numpy as np
import pytest
from scipy import optimize, special, stats

from dpverify.core.errors import InputError
from dpverify.stats.one_run import curve_excess, gaussian_inverse, largest_refuted, one_run_mu_lower


@pytest.mark.parametrize(
    ("canaries", "guesses", "correct", "wanted"),
    [(1000, 1000, 900, 0.88040), (1000, 100, 95, 0.78681), (5000, 1000, 1000, 1.96051)],
)
def test_golden_values(canaries, guesses, correct, wanted):
    assert one_run_mu_lower(correct, guesses, canaries, alpha=0.05) == pytest.approx(wanted, abs=1e-5)


def corner(epsilon, delta):
    """The (epsilon, delta) curve: its inverse, and fbar as the least of lines (slope, intercept)."""
    slope = math.exp(epsilon)
    lines = [(slope, delta), (1 / slope, 1 - (1 - delta) / slope), (0.0, 1.0)]
    return (lambda x: max(0.0, (1 - delta) - slope * (1 - x), (x - delta) / slope)), lines


def by_linear_programming(m, r, v, lines, k):
    """The largest P[correct >= v] that the inequalities leave, over all laws of the number of right guesses."""
    i = np.arange(r + 1)
    rows, limits = [], []
    for c in range(1, r + 1):
        before, after = np.where(i >= c, i / m, 0.0), np.where(i >= c - 1, (r - i) / m, 0.0) / (k - 1)
        for slope, intercept in lines:
            rows.append(before - slope * after)
            limits.append(intercept)
    found = optimize.linprog(
        -(i >= v).astype(float), A_ub=rows, b_ub=limits, A_eq=np.ones((1, r + 1)), b_eq=[1], bounds=(0, 1)
    )
    return -found.fun


def by_recursion(m, r, v, inverse, k):
    low, high = -30.0, -1e-12
    if curve_excess(v, r, m, alpha=math.exp(high), inverse=inverse, values=k) <= 0:
        return 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        refuted = curve_excess(v, r, m, alpha=math.exp(middle), inverse=inverse, values=k) > 0
        low, high = (low, middle) if refuted else (middle, high)
    return math.exp(high)


CASES = [
    (2, 14, 22, 14, 0.27, 0.0), (2, 20, 28, 16, 0.72, 0.05), (2, 3, 3, 3, 1.94, 0.0), (2, 24, 36, 23, 1.38, 0.05),
    (2, 22, 29, 19, 1.44, 1e-3), (3, 2, 7, 1, 0.08, 1e-3), (3, 16, 31, 15, 1.32, 1e-3), (5, 16, 26, 5, 0.12, 0.0),
    (5, 13, 20, 9, 0.97, 1e-3), (5, 20, 32, 15, 1.11, 0.05), (4, 1, 9, 1, 0.5, 0.01), (2, 10, 10, 6, 0.0, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("k", "r", "m", "v", "epsilon", "delta"), CASES)
def test_the_recursion_is_the_linear_programs_optimum(k, r, m, v, epsilon, delta):
    inverse, lines = corner(epsilon, delta)
    found, wanted = by_recursion(m, r, v, inverse, k), by_linear_programming(m, r, v, lines, k)
    assert wanted - 1e-7 <= found <= wanted + 1e-6


def test_a_recursion_that_forgets_the_other_values_fails_the_same_check():
    """Sabotage: with five values, the factor of two."""
    k, r, m, v, epsilon, delta = 5, 13, 20, 9, 0.97, 1e-3
    inverse, lines = corner(epsilon, delta)
    assert not by_recursion(m, r, v, inverse, 2) <= by_linear_programming(m, r, v, lines, k) + 1e-6


@pytest.mark.parametrize("k", [2, 3, 6])
def test_randomised_response_is_never_refuted_too_often(k):
    """Exact: P[correct >= v] of independent guesses is at most the alpha at which v begins to refute."""
    epsilon, r, m = 1.0, 30, 50
    q = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    inverse, _ = corner(epsilon, 0.0)
    for v in range(1, r + 1):
        assert stats.binom.sf(v - 1, r, q) <= by_recursion(m, r, v, inverse, k) * (1 + 1e-9)


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.0])
def test_gaussian_scores_are_never_refuted_too_often(mu):
    """One Gaussian number a canary, all guessed by the half between: right with probability Phi(mu / 2)."""
    r = 60
    for v in range(20, r + 1, 5):
        alpha = by_recursion(r, r, v, gaussian_inverse(mu), 2)
        assert stats.binom.sf(v - 1, r, special.ndtr(mu / 2)) <= alpha * (1 + 1e-9)


@pytest.mark.parametrize(("correct", "guesses", "canaries"), [(90, 100, 200), (300, 400, 400), (50, 50, 1000)])
def test_refutation_ends_once_along_mu(correct, guesses, canaries):
    bound = one_run_mu_lower(correct, guesses, canaries, alpha=0.05)
    refuted = [
        curve_excess(correct, guesses, canaries, alpha=0.05, inverse=gaussian_inverse(mu)) > 0
        for mu in np.linspace(0.0, 2 * bound + 0.1, 80)
    ]
    assert sorted(refuted, reverse=True) == refuted


def whole_recursion(v, r, m, alpha, inverse):
    """Every step, as the module's docstring has it."""
    right, wrong = alpha * v / m, alpha * (r - v) / m
    for i in range(v - 1, -1, -1):
        needed = max(wrong, inverse(right))
        right, wrong = min(1.0, right + i / (r - i) * (needed - wrong)), needed
    return (right + wrong) * m / r - 1.0


def test_stopping_early_changes_no_answer_and_few_steps_are_taken():
    steps = 0

    def counted(inverse):
        def asked(x):
            nonlocal steps
            steps += 1
            return inverse(x)

        return asked

    for mu in (0.2, 0.6, 1.0, 3.0):
        for v in range(1, 81):
            found = curve_excess(v, 80, 100, alpha=0.01, inverse=gaussian_inverse(mu)) > 0
            assert found == (whole_recursion(v, 80, 100, 0.01, gaussian_inverse(mu)) > 0)
    for v in (12_000, 15_000, 19_000):
        for mu in (0.1, 1.0, 3.0):
            curve_excess(v, 20_000, 20_000, alpha=1e-3, inverse=counted(gaussian_inverse(mu)))
    assert steps < 9 * 1000  # the whole would be 138,000


def test_nothing_right_and_nothing_known():
    assert curve_excess(0, 10, 10, alpha=0.05, inverse=gaussian_inverse(1.0)) < 0
    assert one_run_mu_lower(5, 10, 10, alpha=0.05) == 0.0
    assert math.isfinite(one_run_mu_lower(10**4, 10**4, 10**4, alpha=0.05))


def test_bad_input_is_one_line():
    with pytest.raises(InputError, match="right of"):
        curve_excess(3, 2, 10, alpha=0.05, inverse=gaussian_inverse(1.0))
    with pytest.raises(InputError, match="alpha"):
        curve_excess(1, 2, 10, alpha=0.0, inverse=gaussian_inverse(1.0))
    with pytest.raises(InputError, match="search"):
        largest_refuted(lambda _: True, start=2.0, end=1.0)
