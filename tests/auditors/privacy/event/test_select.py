"""Choosing the event: naive twins, the right winner, and what happens to those who certify where they chose."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event.expected_gain import largest_gain
from auditors.privacy.event.learned import linear, stacked, telling_columns
from auditors.privacy.event.scores import Coordinate
from auditors.privacy.event.select import (
    ALMOST,
    REMEMBERED,
    SHORT,
    Split,
    choose,
    choose_trees,
    confirmed,
    grown_in_full,
    shortlist,
    trial_trees,
    with_share,
)
from auditors.privacy.event.statistics import Statistic, higher
from auditors.privacy.event_bounds import SHARES, Goal
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.stats.joint import JointRegion
from tests.auditors.privacy.samples import drawn, sample, split


def test_draws_seen_before_are_built_on_and_the_new_ones_are_held_back():
    seen, fresh = drawn(10, size=600), drawn(11, size=1000)
    parts = Split.of(fresh, seen, rng=np.random.default_rng(0))
    assert parts.build == seen
    assert parts.held == parts.whole == fresh
    for side in (0, 1):
        both = [*seen[side].values, *fresh[side].values]
        assert parts.remembered()[side].values.tolist() == both
        assert parts.remembered()[side].size == 1600
    few = (seen[0].head(499), seen[1].head(499))
    halved = Split.of(fresh, few, rng=np.random.default_rng(0))
    assert [part.size for part in (*halved.build, *halved.held)] == [500] * 4, "too little was seen to build on"
    for side in (0, 1):
        assert [*halved.build[side].values, *halved.held[side].values] == fresh[side].values.tolist()


def test_what_is_remembered_has_bounds():
    wide = sample(np.zeros((9, REMEMBERED // 4)))
    assert Split.of((wide, wide), rng=np.random.default_rng(0)).remembered()[0].size == 4
    wider = sample(np.zeros((4, REMEMBERED + 1), dtype=np.int8))
    assert Split.of((wider, wider), rng=np.random.default_rng(0)).remembered()[1].size == 1


def test_the_half_line_of_laplace_noise_wins():
    """{output <= t} with t near or below the smaller answer has the whole ratio e; far below it is known too badly."""
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    choice = choose(split(*drawn(1)), goal, trials=100_000, alpha=1e-3, thorough=True)
    assert isinstance(choice.event.score, Coordinate)
    assert choice.gain > 0.9
    threshold = choice.event.threshold
    low = not choice.event.above
    assert (-1.0 < threshold < 0.3) if low else (0.7 < threshold < 2.0)
    assert choice.direction == (0 if low else 1)


def test_fewer_trials_to_come_ask_for_a_likelier_event():
    goal = Goal(guarantee=GDP(mu=1.0))
    parts = split(*drawn(2, shift=1.0))
    for alpha in (1e-3, 1e-9):
        choice = choose(parts, goal, trials=500, alpha=alpha, thorough=False)
        assert 0.2 < choice.p < 0.95


def test_a_lucky_tail_does_not_win():
    """Nine hits against none on 20,000 draws looks like an infinite ratio, and is worth less than a sure ratio of e."""
    rng = np.random.default_rng(3)
    first, second = (side.values.copy() for side in drawn(3))
    first[:9] = 50.0 + rng.random(9)
    choice = choose(
        split(sample(first), sample(second)),
        Goal(guarantee=PureDP(epsilon=1.0)),
        trials=20_000,
        alpha=1e-3,
        thorough=True,
    )
    assert choice.p > 0.1


def test_equal_sides_promise_next_to_nothing():
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    choice = choose(split(*drawn(4, size=2000, shift=0.0)), goal, trials=2000, alpha=1e-3, thorough=True)
    assert choice is None or choice.gain < 1e-3
    constant = sample(np.zeros(100)), sample(np.zeros(100))
    assert choose(split(*constant), goal, trials=2000, alpha=1e-3, thorough=True) is None
    assert largest_gain([], goal, trials=10, alpha=0.1) is None


def test_regression_learns_the_ratio_of_laplace_noise_and_of_prefix_sums():
    rng = np.random.default_rng(5)
    shift = np.array([1.0, -1.0, 0.0])
    values = rng.laplace(size=(2000, 3)) * 2
    truth = np.abs(values - shift).sum(axis=1) / 2 - np.abs(values).sum(axis=1) / 2
    for transform in (lambda rows: rows, lambda rows: np.cumsum(rows, axis=1)):
        first = sample(transform(rng.laplace(size=(30_000, 3)) * 2))
        second = sample(transform(rng.laplace(size=(30_000, 3)) * 2 + shift))
        # Without clipped coordinates or clipped steps: at most 0.89. With them 1 - correlation is about 0.0103, spread
        # over seeds as a chi-square of 25 degrees of freedom: at 0.05 a false alarm below 1e-9, two cases.
        assert np.corrcoef(linear(first, second)(transform(values)), truth)[0, 1] > 0.95


def test_evidence_spread_over_many_coordinates_is_not_drowned():
    """Twenty coordinates that each move a twentieth of their noise: plain weights are noise, drawn to 0 or stacked."""
    rng = np.random.default_rng(12)
    first, second = (sample(rng.laplace(size=(20_000, 20)) + shift) for shift in (0.05, 0.0))
    fresh = rng.laplace(size=(5_000, 20))
    truth = (np.abs(fresh) - np.abs(fresh - 0.05)).sum(axis=1)
    joined = stacked(first, second, [*higher(first, second), linear(first, second)])
    # The count of coordinates above their medians alone correlates at 0.98; regression weights alone at about 0.9.
    assert np.corrcoef(joined(fresh), truth)[0, 1] > 0.9
    again = stacked(first, second, [*higher(first, second), linear(first, second)])
    assert joined.weights == again.weights


@pytest.mark.parametrize("kind", [np.float64, np.int8])
def test_a_regression_is_the_weighted_sum_of_its_features(kind):
    rng = np.random.default_rng(15)
    first, second = (sample(np.round(rng.laplace(size=(4_000, 3)) * 4 + shift).astype(kind)) for shift in (0, 1))
    score = linear(first, second)
    assert {feature.name for feature in score.features} == {"x", "square", "is", "clip", "step"}
    expected = np.zeros(4_000)
    for feature, weight in zip(score.features, score.weights, strict=True):
        expected += weight * feature(first.values)
    assert (score(first.values) == expected).all()
    assert (score(np.asfortranarray(first.values)) == expected).all()


def test_values_that_come_often_are_set_aside_before_medians_are_taken():
    """Nine in ten outputs are 0 ("not released"); the others tell by their sign, and a clipped feature sees it."""
    rng = np.random.default_rng(13)

    def rows(shift):
        values = rng.laplace(size=(40_000, 2)) * 5 + 3 + shift
        return np.where(rng.random((40_000, 2)) < 0.9, 0.0, values)

    score = linear(sample(rows(1.0)), sample(rows(0.0)))
    clipped = [feature for feature in score.features if feature.name == "clip"]
    assert [feature.column for feature in clipped] == [0, 1]
    for feature in clipped:
        assert feature.aside == (0.0,)
        assert 2.0 < feature.low < feature.high < 5.0
        assert feature(np.zeros((1, 2))) == pytest.approx((feature.low + feature.high) / 2)


def test_what_is_listed_is_confirmed_by_other_counts():
    """Of the listed scores the one that tells in the fresh counts wins, whatever it promised before."""
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    parts = split(*drawn(14, size=40_000, width=3, shift=1.0))
    listed, counted = shortlist(parts, goal, trials=100_000, alpha=1e-2)
    assert 2 <= len(listed) <= 2 * SHORT
    assert counted.event.score in [tail.score for tail in listed]
    size = 50_000
    nothing = [tail.again(np.tile(np.linspace(40_000, 10, tail.thresholds.size), (2, 1)), size) for tail in listed]
    assert confirmed(nothing, goal, trials=100_000, alpha=1e-2) is None
    hits = nothing[1].above * size
    place = hits.shape[1] // 2
    hits[:, place] = 9_000, 3_000
    found = confirmed([nothing[0], nothing[1].again(hits, size), *nothing[2:]], goal, trials=100_000, alpha=1e-2)
    assert found.event.score is listed[1].score
    assert (found.event.threshold, found.event.above, found.direction) == (listed[1].thresholds[place], True, 0)
    turned = confirmed([nothing[0], nothing[1].again(hits[::-1], size)], goal, trials=100_000, alpha=1e-2)
    assert turned.direction == 1, "it went the other way"


def test_telling_columns_of_wide_outputs():
    rng = np.random.default_rng(6)
    first, second = rng.normal(size=(3000, 200)), rng.normal(size=(3000, 200))
    second[:, 17] += 1.0
    second[:, 140] *= 3.0
    assert set(telling_columns(sample(first), sample(second), 8)) >= {17, 140}
    assert telling_columns(sample(first[:, :5]), sample(second[:, :5]), 8) == (0, 1, 2, 3, 4)
    parts = split(sample(first), sample(second))
    choice = choose(parts, Goal(guarantee=PureDP(epsilon=0.2)), trials=3000, alpha=1e-3, thorough=True)
    assert choice.gain > 1


def test_the_share_serves_the_rarer_side():
    goal = Goal(guarantee=PureDP(epsilon=5.0))
    choice = choose(split(*drawn(9, shift=4.0)), goal, trials=20_000, alpha=1e-3, thorough=False)
    shared = with_share(choice, goal, trials=20_000, alpha=1e-3)
    assert shared.share in SHARES
    assert shared.share < 0.5, "q is the more uncertain one"
    assert (shared.event, shared.p, shared.q) == (choice.event, choice.p, choice.q)


def test_certifying_on_the_selection_data_fails_the_calibration():
    """Twenty coordinates of pure noise under a claim of epsilon 0. The chosen event counted in fresh draws refutes no
    more often than alpha (bound of probability 1e-9); counted where it was chosen, most of the time."""
    goal, alpha, runs, size = Goal(guarantee=PureDP(epsilon=0.0)), 0.05, 20, 400
    most = stats.binom.isf(1e-9, runs, alpha)
    refuted = {"fresh": 0, "selection": 0}
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        draws = {name: [sample(rng.normal(size=(size, 20))) for _ in range(2)] for name in refuted}
        choice = choose(split(*draws["selection"], seed), goal, trials=size, alpha=alpha, thorough=True)
        if choice is None:
            continue
        for name, sides in draws.items():
            k1, k2 = (choice.event.hits(sides[abs(choice.direction - side)]) for side in (0, 1))
            region = JointRegion(k1=k1, n1=size, k2=k2, n2=size, alpha=alpha)
            refuted[name] += goal.finding(region, choice.direction).excess > 0
    assert refuted["fresh"] <= most
    assert refuted["selection"] > most


def test_trees_are_listed_where_they_promise_more_and_see_no_score_that_their_own_draws_have_taught():
    """Two symbols agree more often on one side, which a table of both says, and two numbers' signs do, which only trees
    learn: that table would be split on, if it were offered."""
    rng = np.random.default_rng(16)
    size = 40_000
    rows = [np.column_stack([rng.integers(0, 4, size=(size, 2)), rng.normal(size=(size, 2))]) for _ in range(2)]
    rows[0][:, 1] = np.where(rng.random(size) < 0.1, rows[0][:, 0], rows[0][:, 1])
    rows[0][:, 3] = np.where(rng.random(size) < 0.5, np.abs(rows[0][:, 3]) * np.sign(rows[0][:, 2]), rows[0][:, 3])
    parts = split(*map(sample, rows))
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    _, counted = shortlist(parts, goal, trials=10**6, alpha=0.1)
    tried = trial_trees(counted, parts, goal, trials=10**6, alpha=0.1, rng=rng)
    assert tried.gain > ALMOST * counted.gain
    grown = grown_in_full(tried, goal, trials=10**6, alpha=0.1)
    assert all(isinstance(score, Statistic) for score in grown.score.scores)
    better = replace(counted, gain=1e9)
    assert trial_trees(better, parts, goal, trials=10**6, alpha=0.1, rng=rng) is None
    assert grown_in_full(replace(tried, best=better), goal, trials=10**6, alpha=0.1) is None


def test_no_trees_spring_up_where_outputs_are_numbers_or_draws_few():
    goal, rng = Goal(guarantee=PureDP(epsilon=1.0)), np.random.default_rng(17)
    for parts in (split(*drawn(18)), split(*drawn(18, size=1000, width=2))):
        assert trial_trees(None, parts, goal, trials=10**6, alpha=0.1, rng=rng) is None


def test_trees_stay_out_where_they_promise_nothing_more():
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    scalar = split(*drawn(7))
    best = choose(scalar, goal, trials=20_000, alpha=1e-3, thorough=True)
    assert choose_trees(best, scalar, goal, trials=20_000, alpha=1e-3, rng=np.random.default_rng(0)) is best
    vector = split(*drawn(8, size=6000, width=2))
    best = choose(vector, goal, trials=20_000, alpha=1e-3, thorough=True)
    chosen = choose_trees(best, vector, goal, trials=20_000, alpha=1e-3, rng=np.random.default_rng(0))
    assert chosen is best or chosen.gain > best.gain
