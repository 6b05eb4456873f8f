"""Clopper-Pearson limits: exact edges, Arb as the oracle, never on the wrong side."""

import math
from functools import cache

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.proportion import proportion_confint

from dpverify.core.errors import InputError
from dpverify.stats import intervals
from dpverify.stats.intervals import binomial_quantile, clopper_pearson_lower, clopper_pearson_upper, reaches


def upper_tail(k: int, n: int, p: "arb") -> "arb":
    """P(K >= k) as a ball, narrow enough to compare with."""
    precision = ctx.prec
    try:
        for bits in (200, 600, 2000, 8000, 32000):
            ctx.prec = bits
            tail = arb(p).beta_lower(arb(k), arb(n - k + 1), regularized=1)
            if tail.is_finite() and tail.rad() * arb(10) ** 12 <= tail.abs_upper():
                return tail
    finally:
        ctx.prec = precision
    raise AssertionError("no precision was enough")


def tail_ratio_lower(k: int, n: int, alpha: float) -> float:
    """P(K >= k) at the lower limit, over alpha: at most 1 if the limit is sound."""
    return float(upper_tail(k, n, arb(float(clopper_pearson_lower(k, n, alpha=alpha)))) / arb(alpha))


def tail_ratio_upper(k: int, n: int, alpha: float) -> float:
    """P(K <= k) at the upper limit, over alpha."""
    ctx.prec = 2000
    try:
        p = 1 - arb(float(clopper_pearson_upper(k, n, alpha=alpha)))
    finally:
        ctx.prec = 53
    return float(upper_tail(n - k, n, p) / arb(alpha))


@pytest.mark.parametrize("n", [1, 2, 7, 1000, 10**6, 10**9])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-6, 1e-100])
def test_closed_forms_at_the_edges(n, alpha):
    assert float(clopper_pearson_lower(0, n, alpha=alpha)) == 0.0
    assert float(clopper_pearson_upper(n, n, alpha=alpha)) == 1.0
    root = -math.expm1(math.log(alpha) / n)
    assert float(clopper_pearson_lower(n, n, alpha=alpha)) == pytest.approx(math.exp(math.log(alpha) / n), rel=2e-6)
    assert float(clopper_pearson_upper(0, n, alpha=alpha)) == pytest.approx(root, rel=2e-6)
    single = -math.expm1(math.log1p(-alpha) / n)
    assert float(clopper_pearson_lower(1, n, alpha=alpha)) == pytest.approx(single, rel=2e-6)


HARD = [
    (3, 10, 0.05),
    (27183, 10**6, 0.025),
    (999_999, 10**6, 1e-30),
    (1, 10**6, 1e-280),
    (10, 1000, 1e-300),  # SciPy's forward function underflows near here
    (9990, 10_000, 1e-300),  # and here its inverse is off by a factor of 3e7
    (9990, 10_000, 1e-290),
    (1000, 10**9, 1e-6),  # and here by a factor of 1e6
    (1000, 10**9, 1e-100),
    (10**8, 10**9, 1e-6),
    (5, 10**9, 0.99),
    (5, 8, 0.999999),
]


@pytest.mark.parametrize(("k", "n", "alpha"), HARD)
def test_the_tail_at_a_limit_is_below_its_level_and_close_to_it(k, n, alpha):
    closeness = 1.0 - 1e-4 if alpha > intervals.TRUSTED_TAIL else 1e-4  # the Chernoff bound gives away a factor
    assert closeness <= tail_ratio_lower(k, n, alpha) <= 1.0
    assert tail_ratio_upper(k, n, alpha) <= 1.0
    assert tail_ratio_upper(n - k, n, alpha) <= 1.0


def test_forward_error_constant_holds():
    """The check of every root rests on the forward function: its error stays below a tenth of what is allowed."""
    rng = np.random.default_rng(5)
    for _ in range(80):
        n = int(10 ** rng.uniform(0.0, 9.0)) + 1
        k = min(n, int(10 ** rng.uniform(0.0, math.log10(n))) + 1)
        p = float(np.clip((k + rng.normal() * 5.0 * math.sqrt(k)) / n, 1e-3 * k / n, 1.0 - 1e-9))
        forward = float(special.betainc(k, n - k + 1.0, p))
        if forward > intervals.TRUSTED_TAIL:
            assert abs(float(arb(forward) / upper_tail(k, n, arb(p)) - 1)) < 0.1 * intervals.FORWARD_ERROR


def test_without_the_check_the_inverse_would_be_wrong():
    """Sabotage: the bare inverse, which the forward check replaces, is on the wrong side at a count of 1000 in 10^9."""
    bare = float(special.betaincinv(1000.0, 10**9 - 999.0, 1e-6))
    assert float(upper_tail(1000, 10**9, arb(bare))) > 1e-6


@cache
def coverage_of_limits(alpha: float) -> tuple[float, float]:
    """Largest probability that a limit of at most 12 trials misses p, over a grid of p, summed exactly."""
    worst_lower = worst_upper = 0.0
    for n in range(1, 13):
        k = np.arange(n + 1)
        lower, upper = clopper_pearson_lower(k, n, alpha=alpha), clopper_pearson_upper(k, n, alpha=alpha)
        for p in np.concatenate(
            [np.linspace(0.001, 0.999, 199), np.nextafter(lower[1:], 0.0), np.nextafter(upper[:-1], 1.0)]
        ):
            mass = special.binom(n, k) * p**k * (1.0 - p) ** (n - k)
            worst_lower = max(worst_lower, float(mass[lower > p].sum()))
            worst_upper = max(worst_upper, float(mass[upper < p].sum()))
    return worst_lower, worst_upper


@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.001])
def test_exact_coverage_for_up_to_12_trials(alpha):
    for miss in coverage_of_limits(alpha):
        assert 0.999 * alpha < miss <= alpha  # and sharp: the grid holds the limits' own neighbours


def test_arrays_broadcast_and_agree_with_scalars():
    k, n = np.array([[0], [3], [50]]), np.array([50, 100, 10**6])
    alpha = np.array([0.05, 0.01, 1e-9])
    for limit in (clopper_pearson_lower, clopper_pearson_upper):
        table = limit(k, n, alpha=alpha)
        assert table.shape == (3, 3)
        for i in range(3):
            for j in range(3):
                assert table[i, j] == float(limit(int(k[i, 0]), int(n[j]), alpha=float(alpha[j])))


def test_agrees_with_statsmodels():
    k, n = np.array([1, 5, 40, 99, 500]), np.array([10, 100, 50, 100, 10_000])
    low, high = proportion_confint(k, n, alpha=0.02, method="beta")
    np.testing.assert_allclose(clopper_pearson_lower(k, n, alpha=0.01), low, rtol=2e-6)
    np.testing.assert_allclose(clopper_pearson_upper(k, n, alpha=0.01), high, rtol=2e-6)


@pytest.mark.parametrize(
    ("k", "n", "alpha"),
    [
        (-1, 5, 0.1),
        (1, 10**10 + 1, 0.1),
        (6, 5, 0.1),
        (0, 0, 0.1),
        (0.5, 2, 0.1),
        (1, 5, 0.0),
        (1, 5, 1.0),
        (1, 5, 1e-301),
        (1, 5, math.nan),
    ],
)
def test_bad_input_is_told(k, n, alpha):
    with pytest.raises(InputError, match="allowed"):
        clopper_pearson_lower(k, n, alpha=alpha)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 10**6), st.floats(1e-40, 0.5))
def test_limits_are_sound_and_monotone(data, n, alpha):
    k = data.draw(st.integers(0, n))
    lower, upper = float(clopper_pearson_lower(k, n, alpha=alpha)), float(clopper_pearson_upper(k, n, alpha=alpha))
    assert lower <= k / n <= upper
    assert lower <= float(clopper_pearson_lower(k, n, alpha=min(0.99, 1.5 * alpha)))
    assert upper >= float(clopper_pearson_upper(k, n, alpha=min(0.99, 1.5 * alpha)))
    if k < n:
        assert lower < float(clopper_pearson_lower(k + 1, n, alpha=alpha))
        assert upper < float(clopper_pearson_upper(k + 1, n, alpha=alpha)) or upper > 1.0 - 1e-12
    assume(k >= 1)
    assert tail_ratio_lower(k, n, alpha) <= 1.0
    assert tail_ratio_upper(n - k, n, alpha) <= 1.0


LEVELS = [0.2, 0.8, 1 - 0.8**0.5, 0.8**0.5, 0.8 ** (1 / 3), 0.001, 0.999]


@pytest.mark.parametrize("trials", [1, 2, 10, 1000, 1024, 400_000, 10_000_000])
def test_as_scipy_says(trials):
    rng = np.random.default_rng(trials)
    small = 10.0 ** rng.uniform(-12, 0, 200)
    p = np.concatenate([rng.random(200), small, 1.0 - small, [0.0, 0.25, 0.5, 1.0]])
    for level in LEVELS:
        found = binomial_quantile(level, trials, p)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, stats.binom.ppf(level, trials, p))


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 10**6), st.floats(0, 1))
def test_it_is_the_smallest_with_that_probability(level, trials, p):
    k = int(binomial_quantile(level, trials, p))
    assert 0 <= k <= trials
    assert stats.binom.cdf(k, trials, p) >= level * (1 - 1e-9)
    assert k == 0 or stats.binom.cdf(k - 1, trials, p) <= level + 1e-9


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 10**6), st.floats(1e-9, 1 - 1e-9), st.integers(-2, 2))
def test_whether_it_reaches_a_number_is_said_of_the_quantile_itself(level, trials, p, beside):
    k = int(binomial_quantile(level, trials, p))
    assert reaches(k + beside, level, trials, p) is (beside <= 0)
