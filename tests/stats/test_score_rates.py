"""Rates of scores: closed forms, ties, few scores, and how often limits miss the truth."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from dpverify.stats.score_rates import score_rates

RUNS, MISSES = 400, 1e-9


def truth(mu, rate):
    return norm.sf(norm.isf(rate) - mu)


def test_limits_are_around_the_truth_and_narrow_with_more_scores():
    widths = []
    for size in (2_000, 200_000):
        rng = np.random.default_rng(size)
        found = score_rates(rng.normal(1, 1, size), rng.normal(0, 1, size), confidence=1 - 1e-6)
        for rate, (low, seen, high) in found.power.items():
            assert low <= truth(1, rate) <= high and low <= seen <= high
        for low, seen, high, exact in (
            (*found.advantage, 2 * norm.cdf(0.5) - 1),
            (*found.area, norm.cdf(1 / math.sqrt(2))),
        ):
            assert low <= exact <= high and low <= seen <= high
        widths.append(found.power[0.01][2] - found.power[0.01][0])
    assert widths[1] < widths[0] / 5


def test_low_scores_may_be_the_alarms():
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(1, 1, 900), rng.normal(0, 1, 900)
    high, low = (score_rates(sign * inside, sign * outside, confidence=0.99) for sign in (1, -1))
    assert (high.members, low.members) == ("high", "low") and high.power == low.power and high.area == low.area


@pytest.mark.parametrize("digits", [0, 3])
def test_limits_miss_no_more_often_than_they_say(digits):
    """400 studies at .9 with ties or without; more misses than the binomial of .1 allows have probability 1e-9."""
    rng = np.random.default_rng(7)
    cuts = np.arange(-8, 8, 10.0**-digits) + 0.5 * 10.0**-digits
    law = [np.diff(norm.cdf(cuts, loc=mu)) for mu in (0.0, 1.0)]
    beyond = [np.append(np.cumsum(each[::-1]), 1.0) for each in law]
    exact = {rate: float(np.interp(rate, beyond[0], beyond[1])) for rate in (0.1, 0.02)}
    advantage, missed = float(np.max(beyond[1] - beyond[0])), 0
    for _ in range(RUNS):
        inside, outside = (np.round(rng.normal(mu, 1, 150), digits) for mu in (1, 0))
        found = score_rates(inside, outside, confidence=0.9, rates=(0.1, 0.02))
        told = [(found.power[rate], exact[rate]) for rate in exact] + [(found.advantage, advantage)]
        missed += any(not low - 1e-12 <= at <= high + 1e-12 for (low, _, high), at in told)
    assert missed <= binom.isf(MISSES, RUNS, 0.1)


def test_few_scores_show_nothing_at_rare_alarms():
    found = score_rates(np.array([1.0, np.inf]), np.array([0.0, -np.inf]), confidence=0.999)
    assert all(low == 0.0 for low, _, _ in found.power.values()) and found.advantage[0] == 0.0
    assert found.power[0.01][1] == 1.0 and found.area[1:] == (1.0, 1.0)


def test_equal_scores_tell_nothing():
    found = score_rates(np.zeros(5000), np.zeros(5000), confidence=0.999)
    assert found.advantage[0] == 0.0 and found.area[1] == 0.5
    assert all(low == seen == 0.0 and high == 1.0 for low, seen, high in found.power.values())


def test_text_and_values():
    rng = np.random.default_rng(2)
    found = score_rates(rng.normal(1, 1, 2000), rng.normal(0, 1, 2000), confidence=0.99)
    assert found.text().startswith("attack by high scores: true positives at 0.01 false positives 0.")
    assert found.plain()["sizes"] == [2000, 2000] and len(found.plain()["power"]["0.001"]) == 3
