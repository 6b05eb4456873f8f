"""Guesses: counted by hand, ties by no order, fair coins, and how many of them can be right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.one_run.guesses import (
    Rule,
    chance_of_right,
    check_coins,
    default_rules,
    expected_rate,
    most_right,
    rate_to_mu,
    right_guesses,
    rules_for,
)
from dpverify.core.errors import InputError


def test_guesses_are_counted_as_by_hand():
    scores, included = np.array([0.1, 3.0, -2.0, 5.0, 0.0, -4.0]), np.array([1, 0, 0, 1, 1, 0])
    rng = np.random.default_rng(0)
    rules = [Rule(inside=1, outside=1), Rule(inside=2, outside=0), Rule(inside=3, outside=3), Rule(inside=0, outside=2)]
    assert right_guesses(scores, included, rules, rng=rng) == [2, 1, 4, 2]


def test_nan_is_guessed_last_by_a_coin():
    scores = np.concatenate([np.full(50, 9.0), np.full(100, math.nan), np.full(50, -9.0)])
    included = np.concatenate([np.ones(50), np.tile([0, 1], 50), np.zeros(50)]).astype(np.int64)
    rules = [Rule(inside=50, outside=50), Rule(inside=100, outside=100)]
    found = [right_guesses(scores, included, rules, rng=np.random.default_rng(seed)) for seed in range(40)]
    assert {first for first, _ in found} == {100}
    assert 140 < np.mean([second for _, second in found]) < 160
    assert len({second for _, second in found}) > 1


@pytest.mark.parametrize("values", [2, 4])
def test_values_named_by_the_largest_score(values):
    included = np.arange(40) % values
    scores = np.eye(values)[included] * np.linspace(1.0, 2.0, 40)[:, None]
    scores[:10] = 0.0  # nothing known of these: guessed last
    found = right_guesses(scores, included, [Rule(inside=30, outside=0)], rng=np.random.default_rng(1))
    assert found == [30]


def by_place(scores, included, rules):
    """Sabotage: a stable sort on the arrays as they came."""
    order = np.argsort(scores, kind="stable")[::-1]
    return [
        int(np.sum(included[order[: rule.inside]] == 0) + np.sum(included[order[order.size - rule.outside :]] == 1))
        for rule in rules
    ]


def test_the_order_of_the_arrays_breaks_no_tie():
    """Equal scores, the included first: places alone would guess everything right, and refute everything."""
    scores, included, rules = np.zeros(400), np.repeat([1, 0], 200), [Rule(inside=200, outside=200)]
    assert by_place(scores, included, rules)[0] in (0, 400)
    fair = [right_guesses(scores, included, rules, rng=np.random.default_rng(seed))[0] for seed in range(60)]
    assert 100 < min(fair) < 200 < max(fair) < 300  # nine standard errors


def test_default_rules_and_rules_asked_for():
    assert [rule.guesses for rule in default_rules(1000)] == [872, 250, 62]
    assert [rule.guesses for rule in default_rules(3)] == [2]
    assert all(rule.guesses <= m for m in range(2, 200) for rule in default_rules(m))
    assert rules_for([(5, 0), (5, 0), (0, 3)], 10) == (Rule(inside=5, outside=0), Rule(inside=0, outside=3))
    for bad in ([], [(0, 0)], [(6, 5)], [(-1, 3)]):
        with pytest.raises(InputError):
            rules_for(bad, 10)


def test_coins_that_no_fair_coin_gives_are_refused():
    check_coins(np.repeat([0, 1], [480, 520]), 2)
    check_coins(np.arange(30) % 3, 3)
    for included, values in ((np.ones(100, dtype=int), 2), (np.repeat([0, 1], [300, 700]), 2), (np.zeros(60, int), 3)):
        with pytest.raises(InputError, match="canaries have the value"):
            check_coins(included, values)
    check_coins(np.ones(5, dtype=int), 2)  # five heads in a row may be


def test_the_expected_rate_of_gaussian_scores():
    assert expected_rate(1.0, 1.0) == pytest.approx(stats.norm.cdf(0.5))
    rng = np.random.default_rng(2)
    included = rng.integers(0, 2, 400_000)
    scores, rule = included * 1.5 + rng.normal(size=included.size), Rule(inside=20_000, outside=20_000)
    rate = right_guesses(scores, included, [rule], rng=rng)[0] / 40_000
    assert expected_rate(1.5, 0.1) == pytest.approx(rate, abs=6 * math.sqrt(0.25 / 40_000))
    assert rate_to_mu(expected_rate(1.5, 0.1), 0.1) == pytest.approx(1.5)
    assert rate_to_mu(0.4, 0.1) == 0.0


def test_the_coins_decide_how_many_guesses_can_be_right():
    """Enumerated: every law of the coins of seven canaries, and guesses that know all of them."""
    for rule in (Rule(inside=4, outside=3), Rule(inside=2, outside=2), Rule(inside=7, outside=0)):
        counts = []
        for number in range(2**7):
            included = np.array([number >> i & 1 for i in range(7)])
            (right,) = right_guesses(included * 1.0, included, [rule], rng=np.random.default_rng(number))
            assert right == most_right(included, 2, rule)
            counts.append(right)
        for least in range(1, rule.guesses + 1):
            share = np.mean(np.array(counts) >= least)
            assert chance_of_right(least, 1.0, 7, rule) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(
    "rule", [Rule(inside=100, outside=100), Rule(inside=60, outside=60), Rule(inside=150, outside=50)]
)
@pytest.mark.parametrize("rate", [0.5, 0.7, 0.95])
def test_the_chance_of_so_many_right_is_that_of_simulated_guesses(rule, rate):
    """Six standard errors of a share of 4000 runs, and 0.02 for the shift: false alarm below 2e-9 each of 18."""
    rng, m, runs = np.random.default_rng(21), 200, 4000
    included = rng.integers(0, 2, (runs, m))
    looks_in = np.where(rng.random((runs, m)) < rate, included, 1 - included)
    order = np.argsort(looks_in + 0.5 * rng.random((runs, m)), axis=1)
    ranked = np.take_along_axis(included, order, axis=1)
    right = ranked[:, m - rule.inside :].sum(axis=1) + (1 - ranked[:, : rule.outside]).sum(axis=1)
    for quantile in (0.2, 0.6):
        least = int(np.quantile(right, quantile))
        share = float(np.mean(right >= least))
        allowed = 0.02 + 6 * math.sqrt(share * (1 - share) / runs)
        assert chance_of_right(least, rate, m, rule) == pytest.approx(share, abs=allowed)
