"""Means by fixed bets: the wealth by hand, its monotony, limits against exact coverage, and bets that cannot be borne.

False alarms: the coverage tests enumerate, so they have none.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.stats.variational import BEARABLE, Bets, mean_lower, mean_upper

VALUES = np.array([0.0, 0.25, 1.0])


def test_the_wealth_is_the_product_over_the_draws_one_by_one():
    draws = [2, 0, 1, 1, 2, 0]
    counts = np.bincount(draws, minlength=3)
    above = math.prod(1 + 0.7 * (VALUES[i] - 0.4) for i in draws)
    below = math.prod(1 + 0.7 * (0.4 - VALUES[i]) for i in draws)
    assert math.exp(Bets(values=VALUES, bet=0.7, side="above").log_wealth(counts, 0.4)) == pytest.approx(
        above, rel=1e-9
    )
    assert math.exp(Bets(values=VALUES, bet=0.7, side="below").log_wealth(counts, 0.4)) == pytest.approx(
        below, rel=1e-9
    )


def test_a_bet_too_large_is_cut_to_what_the_mean_can_bear():
    bets = Bets(values=VALUES, bet=50.0, side="above")
    assert float(bets.log_wealth(np.array([1, 0, 0]), 0.5)) == pytest.approx(math.log(1 - BEARABLE))
    assert np.all(np.isfinite(bets.log_wealth(np.array([5, 5, 5]), np.linspace(0, 1, 21))))


@given(
    st.lists(st.integers(0, 50), min_size=3, max_size=3),
    st.floats(0.0, 100.0),
    st.sampled_from(["above", "below"]),
)
def test_wealth_is_monotone_in_the_mean(counts, bet, side):
    logs = Bets(values=VALUES, bet=bet, side=side).log_wealth(np.array(counts), np.linspace(0.0, 1.0, 41))
    steps = np.diff(logs) if side == "below" else -np.diff(logs)
    assert np.all(steps >= -1e-9 * (1 + np.abs(logs[1:])))


@pytest.mark.parametrize("bet", [0.05, 0.4, 0.9, 3.0])
@pytest.mark.parametrize("p", [0.02, 0.3, 0.7])
def test_limits_cover_by_enumeration(bet, p):
    """Two values: the count is binomial, and the chance that a limit passes the mean can be summed."""
    n, alpha = 60, 0.1
    values = np.array([0.0, 1.0])
    level = -math.log(alpha)
    missed = {"above": 0.0, "below": 0.0}
    for k in range(n + 1):
        counts = np.array([n - k, k])
        chance = stats.binom.pmf(k, n, p)
        missed["above"] += chance * (
            mean_lower(Bets(values=values, bet=bet, side="above"), counts, log_level=level) > p
        )
        upper = mean_upper(Bets(values=values, bet=bet, side="below"), counts, np.array([level]))[0]
        missed["below"] += chance * (upper < p)
    assert max(missed.values()) <= alpha


def test_values_that_can_come_must_be_listed_though_they_did_not():
    """What the sum above can tell: with only the values that were seen, a rare 1 that stayed away is forgotten."""
    n, alpha, p, missed = 60, 0.1, 0.02, 0.0
    for k in range(n + 1):
        values, counts = (np.array([0.0]), np.array([n])) if k == 0 else (np.array([0.0, 1.0]), np.array([n - k, k]))
        upper = mean_upper(Bets(values=values, bet=0.9, side="below"), counts, np.array([-math.log(alpha)]))[0]
        missed += stats.binom.pmf(k, n, p) * (upper < p)
    assert missed > alpha


def test_limits_stand_where_the_wealth_crosses():
    counts = np.array([40, 30, 30])
    bets = Bets(values=VALUES, bet=0.5, side="above")
    low = mean_lower(bets, counts, log_level=3.0)
    assert float(bets.log_wealth(counts, low)) >= 3.0 > float(bets.log_wealth(counts, low + 1e-9))
    bets = Bets(values=VALUES, bet=0.5, side="below")
    high = mean_upper(bets, counts, np.array([3.0, 5.0]))
    assert low < (counts @ VALUES) / 100 < high[0] < high[1]
    assert float(bets.log_wealth(counts, high[0])) >= 3.0 > float(bets.log_wealth(counts, high[0] - 1e-9))


def test_nothing_staked_shows_nothing():
    counts = np.array([3, 4, 5])
    assert mean_lower(Bets(values=VALUES, bet=0.0, side="above"), counts, log_level=1.0) == pytest.approx(
        0.0, abs=1e-12
    )
    assert mean_upper(Bets(values=VALUES, bet=0.0, side="below"), counts, np.array([1.0]))[0] == 1.0


@pytest.mark.parametrize(
    ("values", "bet"), [([], 0.1), ([0.0, math.inf], 0.1), ([0.0, 1.0], -0.1), ([0.0, 1.0], math.inf)]
)
def test_refused(values, bet):
    with pytest.raises(InputError):
        Bets(values=np.array(values), bet=bet, side="above")
