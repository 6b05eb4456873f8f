"""Ceilings, trials needed and detectable violations; powers checked by exact sums."""

import math

import numpy as np
import pytest
from scipy import special, stats

import dpverify as dpv
from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream
from dpverify.stats.joint import JointRegion, excess_lower, product_log_constant, region_from_counts
from dpverify.stats.power import (
    POWER,
    detectable_epsilon,
    detectable_probability,
    rarest_leak,
    would_refute,
)
from tests.stats.from_counts import epsilon_lower_from_counts


def pure(epsilon):
    return lambda q: np.minimum(1.0, math.exp(epsilon) * q)


def binomial(n, p):
    k = np.arange(n + 1)
    return (
        np.exp(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)) * p**k * (1 - p) ** (n - k)
    )


def exact_power(p, q, n1, n2, allowed, alpha, method):
    """Probability that the audit refutes, summed over all counts."""
    refuted = np.zeros((n1 + 1, n2 + 1))
    for k2 in range(n2 + 1):
        low, high = 0, n1 + 1  # the least k1 that refutes
        while low < high:
            middle = (low + high) // 2
            region = region_from_counts(middle, n1, k2, n2, alpha=alpha, method=method)
            low, high = (low, middle) if excess_lower(region, allowed) > 0.0 else (middle + 1, high)
        refuted[low:, k2] = 1.0
    return float(binomial(n1, p) @ refuted @ binomial(n2, q))


def ceiling(n, **words):
    """The bound where the event occurs in all trials under P and in none under Q."""
    return epsilon_lower_from_counts(n, n, 0, n, **words)


@pytest.mark.parametrize("n", [50, 1000, 10**6])
def test_ceiling_in_closed_form(n):
    half = math.log(0.025) / n
    assert ceiling(n, alpha=0.05, method="split") == pytest.approx(half - math.log(-math.expm1(half)), rel=1e-6)
    log_c = product_log_constant(0.05)
    log_u = np.linspace(log_c, 0.0, 200_001)[1:]
    joint = float(np.min(log_u / n - np.log(-np.expm1((log_c - log_u) / n))))
    assert ceiling(n, alpha=0.05) == pytest.approx(joint, rel=1e-3)


def test_no_counts_beat_the_ceiling():
    assert max(epsilon_lower_from_counts(k1, 20, k2, 20, alpha=0.1) for k1 in (18, 19, 20) for k2 in (0, 1)) == ceiling(
        20, alpha=0.1
    )


@pytest.mark.parametrize("method", ["joint", "split"])
@pytest.mark.parametrize(("q", "n1", "n2"), [(0.1, 40, 40), pytest.param(0.02, 50, 80, marks=pytest.mark.slow)])
def test_the_stated_power_is_reached_and_not_wasted(q, n1, n2, method):
    allowed = pure(1.0)
    p = detectable_probability(q, n1, n2, allowed=allowed, alpha=0.05, power=0.8, method=method)
    assert math.e * q < p < 1.0
    assert 0.8 <= exact_power(p, q, n1, n2, allowed, 0.05, method) < 0.97


def test_ignoring_the_second_count_would_be_caught():
    """Sabotage: the plan at the typical k2 instead of its quantile promises a power that is not there."""
    q, n, allowed = 0.1, 40, pure(1.0)
    k1 = next(
        k for k in range(n + 1) if excess_lower(region_from_counts(k, n, round(q * n), n, alpha=0.05), allowed) > 0.0
    )
    p = float(special.betaincinv(k1, n - k1 + 1, 0.5))
    assert exact_power(p, q, n, n, allowed, 0.05, "joint") < 0.8


def test_what_cannot_be_caught_is_infinite():
    assert detectable_probability(0.5, 1000, 1000, allowed=pure(1.0), alpha=0.05) == math.inf
    assert detectable_probability(0.1, 3, 3, allowed=pure(1.0), alpha=0.05) == math.inf
    assert detectable_epsilon(0.5, 1000, 1000, epsilon_claim=1.0, alpha=0.05) == math.inf
    assert detectable_probability(0.1, 100, 100, allowed=lambda q: q - 2.0, alpha=0.05) == 0.0


def test_detectable_epsilon_shrinks_towards_the_claim():
    values = [detectable_epsilon(0.1, n, n, epsilon_claim=1.0, alpha=0.001) for n in (10**3, 10**4, 10**5)]
    assert values == sorted(values, reverse=True)
    assert 1.0 < values[-1] < 1.06
    p = detectable_probability(0.1, 10**4, 10**4, allowed=pure(1.0), alpha=0.001)
    assert values[1] == pytest.approx(math.log(p / 0.1), rel=1e-9)
    with_delta = detectable_epsilon(0.1, 10**5, 10**5, epsilon_claim=1.0, delta=0.01, alpha=0.001)
    assert with_delta == pytest.approx(values[2], abs=0.01)


@pytest.mark.parametrize(
    "change", [{"q": -0.1}, {"q": 0.0}, {"power": 1.0}, {"alpha": 0.0}, {"n1": 0}, {"epsilon_claim": -1.0}]
)
def test_bad_input_is_told(change):
    good = {"q": 0.1, "n1": 10, "n2": 10, "epsilon_claim": 1.0, "alpha": 0.05}
    with pytest.raises(InputError, match="allowed"):
        detectable_epsilon(**(good | change))


@pytest.mark.parametrize("q", [0.003, 0.1, 0.5])
def test_would_refute_turns_true_where_detectable_says(q):
    def allowed(of_q):
        return np.minimum(1.0, np.exp(0.5) * of_q)

    given = {"allowed": allowed, "alpha": 1e-5}
    p = detectable_probability(q, 20_000, 20_000, **given)
    assert would_refute(p * (1 + 1e-9), q, 20_000, **given)
    assert not would_refute(p * (1 - 1e-2), q, 20_000, **given)
    with pytest.raises(InputError):
        would_refute(1.1, q, 20_000, **given)


def test_it_is_what_it_says_by_enumeration():
    """An event of this rate, impossible on the other side, refutes with at least 80 % power; half as many do not."""
    guarantee, n, alpha = dpv.PureDP(epsilon=1.0), 2_000, 0.001
    found = rarest_leak(guarantee, n, alpha=alpha)

    def allowed(q):
        return np.minimum(1.0 - np.asarray(guarantee.tradeoff(q)), 1.0)

    counts = np.arange(200)
    refuted = [
        excess_lower(JointRegion(k1=int(k), n1=n, k2=0, n2=n, alpha=alpha, share=0.5), allowed) > 0.0 for k in counts
    ]
    power = [float(stats.binom.pmf(counts, n, p)[refuted].sum()) for p in (found, found / 2)]
    assert power[0] >= POWER > power[1]


def test_it_falls_with_trials_and_grows_with_the_claim():
    several = [rarest_leak(dpv.PureDP(epsilon=1.0), n, alpha=0.001) for n in (10**3, 10**4, 10**5)]
    assert several[0] > several[1] > several[2] > 1e-5
    claims = [rarest_leak(dpv.PureDP(epsilon=e), 10**5, alpha=0.001) for e in (0.5, 1.0, 3.0)]
    assert claims == sorted(claims)
    assert rarest_leak(dpv.ApproxDP(epsilon=1.0, delta=0.25), 10**5, alpha=0.001) > 0.25


def test_where_nothing_could_be_seen_there_is_none():
    assert rarest_leak(dpv.PureDP(epsilon=20.0), 50, alpha=1e-9) is None


def test_a_real_mechanism_that_leaks_more_rarely_is_seen_in_less_than_that_power():
    found = rarest_leak(dpv.PureDP(epsilon=1.0), 10_000, alpha=0.001)
    assert math.isfinite(found)
    rng = stream(0, "rarest")
    hits = rng.binomial(10_000, found, size=400)
    region = [JointRegion(k1=int(k), n1=10_000, k2=0, n2=10_000, alpha=0.001, share=0.5) for k in hits]
    refutes = [excess_lower(each, lambda q: np.minimum(np.e * np.asarray(q), 1.0)) > 0 for each in region]
    assert np.mean(refutes) > 0.7  # 80 % are due: under 70 % of 400 has probability below 1e-6
    assert pytest.approx(0.8) == POWER


def test_of_a_claim_that_is_not_symmetric_it_is_the_larger_one():
    """A curve and the same curve with the sides swapped allow their rarest events different probabilities."""
    n, alpha = 2_000, 0.001
    claims = [dpv.Tradeoff(alphas=(0, 0.5, 1), betas=betas) for betas in ((1, 0.05, 0), (0.9, 0.3, 0))]
    for claim in claims:
        sides = []
        for reverse in (False, True):

            def allowed(q, reverse=reverse, claim=claim):
                return np.minimum(1.0 - np.asarray(claim.tradeoff(q, reverse=reverse)), 1.0)

            sides.append(detectable_probability(0.0, n, n, allowed=allowed, alpha=alpha))
        assert sides[0] != pytest.approx(sides[1], rel=1e-3)
        assert rarest_leak(claim, n, alpha=alpha) == pytest.approx(max(sides), rel=1e-9)
