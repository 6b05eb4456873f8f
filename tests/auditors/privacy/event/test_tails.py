"""Thresholds of a score and the shares above them, against a naive twin."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.privacy.event.expected_gain import largest_gain
from auditors.privacy.event.scores import Coordinate
from auditors.privacy.event.tails import FEW_SORTED, MOST_THRESHOLDS, Tails, in_order, smoothed_log_ratios
from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Sample
from dpverify.definitions.pure_dp import PureDP
from tests.auditors.privacy.samples import sample


def test_tails_equal_their_naive_twin():
    rng = np.random.default_rng(0)
    sides = sample(rng.integers(0, 9, 200)), sample(rng.integers(3, 12, 200))
    tails = Tails.of(Coordinate(), sides)
    for place, threshold in enumerate(tails.thresholds):
        for side in (0, 1):
            assert tails.above[side, place] == pytest.approx(np.mean(sides[side].values > threshold))
    weighted = [sample(np.arange(12), np.bincount(side.values, minlength=12)) for side in sides]
    again = Tails.of(Coordinate(), (weighted[0], weighted[1]))
    shared = np.searchsorted(again.thresholds, tails.thresholds)
    assert np.allclose(again.above[:, shared], tails.above)
    assert np.allclose(tails.rates()[[1, 3]], 1 - tails.above)
    assert Tails.of(Coordinate(), (sample(np.ones(5)), sample(np.ones(5)))) is None


def test_thresholds_of_many_values_are_few_and_dense_at_both_ends():
    values = np.arange(100_000.0)
    thresholds = Tails.of(Coordinate(), (sample(values), sample(values + 0.5))).thresholds
    assert thresholds.size <= 2 * MOST_THRESHOLDS
    gaps = np.diff(thresholds)
    assert gaps[:4].max() <= 1.0
    assert gaps[-4:].max() <= 1.0
    assert gaps.max() < 2 * 100_000 / (MOST_THRESHOLDS // 2)


@given(
    st.lists(st.integers(-600, 600), min_size=1, max_size=50)
    | st.lists(st.floats(-1e300, 1e300) | st.sampled_from([0.5, 3.0, -0.0, 1024.0, -1024.0]), min_size=1, max_size=50)
)
def test_scores_are_put_in_order_as_numpy_does_it(values):
    scores = np.array(values, dtype=np.float64)
    assert (in_order(scores) == np.sort(scores)).all()


@pytest.mark.parametrize("last", [2.5, 1e6, 2.0])
def test_scores_that_only_begin_as_whole_numbers_are_sorted(last):
    scores = np.append(np.arange(500.0)[::-1] % 7, last)
    assert (in_order(scores) == np.sort(scores)).all()


@pytest.mark.parametrize("whole", [True, False])
def test_of_many_scores_all_are_counted(whole):
    """Thresholds come among the first draws; above each, and at ties with it, all draws are counted as they are."""
    rng = np.random.default_rng(1)
    values = [
        rng.geometric(0.4, FEW_SORTED + 1) if whole else rng.laplace(size=FEW_SORTED + 1) + shift for shift in (0, 1)
    ]
    tails = Tails.of(Coordinate(), (sample(values[0]), sample(values[1])), learned=True, most=FEW_SORTED)
    assert tails.learned
    assert tails.largest == max(part.max() for part in values)
    assert set(tails.thresholds) <= set(np.concatenate([part[: FEW_SORTED // 2] for part in values]).tolist())
    assert (np.diff(tails.thresholds) > 0).all()
    for side in (0, 1):
        assert tails.above[side].tolist() == [np.mean(values[side] > threshold) for threshold in tails.thresholds]


def test_other_draws_are_counted_between_the_same_thresholds():
    rng = np.random.default_rng(2)
    sides = sample(rng.integers(0, 9, 200)), sample(rng.integers(3, 12, 200))
    tails = Tails.of(Coordinate(), sides)
    other = rng.integers(0, 12, 500)
    hits = tails.hits(sample(other))
    assert hits.tolist() == [np.count_nonzero(other > threshold) for threshold in tails.thresholds]
    assert (tails.hits(sample(np.arange(12), np.bincount(other, minlength=12))) == hits).all()
    again = tails.again(np.stack([hits, hits]), 500)
    assert again.size == 500
    assert again.above[1].tolist() == (hits / 500).tolist()
    assert again.thresholds is tails.thresholds


SCORE = Coordinate()


def histogram(points, first, second):
    """Tails of a score that took `points` so often on d0 and on d1."""
    sides = [
        Sample(values=np.asarray(points, dtype=np.float64), weights=np.asarray(counts), size=int(np.sum(counts)))
        for counts in (first, second)
    ]
    return Tails.of(SCORE, (sides[0], sides[1]), learned=True)


def binomials(size=100_000, trials=20, tilt=0.01):
    """Exact expected counts of Bin(20, 1/2 +- tilt/4): the log-ratio is a line in the count."""
    from scipy import stats

    points = np.arange(trials + 1)
    first, second = (stats.binom.pmf(points, trials, 0.5 + sign * tilt / 4) * size for sign in (1, -1))
    first, second = np.rint(first).astype(np.int64), np.rint(second).astype(np.int64)
    second[10] += first.sum() - second.sum()
    return points, first, second


def test_a_line_is_found_again():
    """With the counts that are expected, the ratio of every tail that the curve speaks of is the true one."""
    from scipy import stats

    points, first, second = binomials(size=100_000_000, tilt=0.1)
    tails = histogram(points, first, second)
    ratio, *variance = smoothed_log_ratios(tails)
    truth = stats.binom.logsf(tails.thresholds, 20, 0.525) - stats.binom.logsf(tails.thresholds, 20, 0.475)
    told = np.isfinite(ratio[0])
    assert told.sum() > 10
    assert ratio[0, told] == pytest.approx(truth[told], rel=0.02)
    assert all(np.all(part[0, told] > 0) for part in variance)


def test_a_rare_tail_is_known_better_than_by_counting():
    points, first, second = binomials(size=1_000_000, tilt=0.04)
    tails = histogram(points, first, second)
    ratio, *variance = smoothed_log_ratios(tails)
    rare = int(np.flatnonzero(tails.thresholds == 15)[0])
    counted = 1 / first[16:].sum() + 1 / second[16:].sum()
    assert np.isfinite(ratio[0, rare])
    assert sum(part[0, rare] for part in variance) < 0.95 * counted


def test_a_ratio_that_has_its_limit_is_not_drawn_on_beyond_it():
    """A sign that tells 0.1 and no more, seen through noise: far out the ratio is 0.1, where a line says twice it."""
    from scipy import stats

    scores = np.linspace(-0.5, 0.5, 401)
    noise = [stats.norm.pdf(scores, centre, 0.08) for centre in (0.1, -0.1)]
    up = np.exp(0.1) / (1.0 + np.exp(0.1))
    sides = [share * noise[0] + (1.0 - share) * noise[1] for share in (up, 1.0 - up)]
    first, second = (np.rint(side / side.sum() * 50_000_000).astype(np.int64) for side in sides)
    second[200] += first.sum() - second.sum()
    tails = histogram(scores, first, second)
    ratio, *_ = smoothed_log_ratios(tails)
    rare = (tails.above[0] < 1e-2) & (tails.above[0] > 1e-5) & np.isfinite(ratio[0])
    assert rare.sum() > 10
    assert ratio[0, rare].max() < 0.11


def test_what_contradicts_the_curve_is_not_smoothed():
    """From 17 on the sides are exchanged: the curve of all the others says the opposite of what was counted there."""
    points, first, second = binomials(size=1_000_000, tilt=0.1)
    told, *_ = smoothed_log_ratios(histogram(points, first, second))
    first[17:], second[17:] = second[17:].copy(), first[17:].copy()
    tails = histogram(points, first, second)
    ratio, *_ = smoothed_log_ratios(tails)
    exchanged = tails.thresholds == 16
    assert np.isfinite(told[0, exchanged]).all()
    assert np.isnan(ratio[0, exchanged]).all()


def test_equal_sides_and_constant_middles_have_no_curve_to_believe():
    points, first, _ = binomials()
    ratio, *_ = smoothed_log_ratios(histogram(points, first, first))
    assert np.isnan(ratio).all()
    ratio, *_ = smoothed_log_ratios(histogram([0, 1, 2], [10, 10_000, 10], [12, 9_996, 12]))
    assert np.isnan(ratio).all(), "the middle 90 % of draws have one score"


def test_smoothing_dares_a_rarer_event_and_plain_scores_are_left_alone():
    points, first, second = binomials(size=400_000, tilt=0.02)
    tails = histogram(points, first, second)
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    budget = {"trials": 20_000_000, "alpha": 0.1}
    learned = largest_gain([tails], goal, **budget)
    counted = largest_gain([dataclasses.replace(tails, learned=False)], goal, **budget)
    assert learned.gain > counted.gain
    assert min(learned.p, learned.q) < min(counted.p, counted.q)
