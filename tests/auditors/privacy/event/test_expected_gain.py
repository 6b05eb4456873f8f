"""Caution for what is only estimated, and the ranking of scores before all of them are tried."""

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event.expected_gain import cautious, largest_gain, most_telling
from auditors.privacy.event.scores import Coordinate
from auditors.privacy.event.tails import Tails
from auditors.privacy.event_bounds import Goal
from dpverify.definitions.pure_dp import PureDP
from tests.auditors.privacy.samples import sample

GOAL = Goal(guarantee=PureDP(epsilon=1.0))
BUDGET = {"trials": 20_000, "alpha": 1e-3}


def test_caution_moves_both_rates_outward_by_z_standard_errors_of_the_log_ratio():
    p, q = cautious(np.array([0.3]), np.array([0.1]), 100_000, 100_000, z=3.0, scale="log")
    error = np.sqrt(0.7 / (0.3 * 100_000) + 0.9 / (0.1 * 100_000))
    assert np.log(p / q)[0] == pytest.approx(np.log(3) - 3 * error, rel=1e-3)
    p, q = cautious(np.array([0.7]), np.array([0.2]), 100_000, 100_000, z=3.0, scale="probit")
    errors = [np.sqrt(r * (1 - r) / 100_000) / stats.norm.pdf(stats.norm.ppf(r)) for r in (0.7, 0.2)]
    plain = stats.norm.ppf(0.7) - stats.norm.ppf(0.2)
    assert (stats.norm.ppf(p) - stats.norm.ppf(q))[0] == pytest.approx(plain - 3 * np.hypot(*errors), rel=1e-3)
    for rate in (0.0, 1.0):
        p, q = cautious(np.array([rate]), np.array([rate]), 10, 10, z=3.0, scale="log")
        assert np.all((p >= 0) & (p <= rate) & (q >= rate) & (q <= 1))


@pytest.mark.parametrize(("ones", "z", "discount"), [(5400, 3.0, 1.0), (5300, 2.0, 1e-3), (5250, 1.0, 1e-6)])
def test_what_does_not_stand_out_is_believed_with_less_caution_and_counts_a_thousandth_a_step(ones, z, discount):
    """Coins that show `ones` and 5000 heads of 10,000: with a caution of one more nothing is promised."""
    coins = [sample(np.array([0, 1]), weights=np.array([10_000 - heads, heads])) for heads in (ones, 5000)]
    tails = Tails.of(Coordinate(column=None), (coins[0], coins[1]))
    choice = largest_gain([tails], GOAL, **BUDGET)
    assert (choice.direction, choice.event.above) == (1, False), "tails of the fair coin"
    p, q = cautious(np.array([0.5]), np.array([1 - ones / 10_000]), 10_000, 10_000, z=z, scale="log")
    assert (choice.p, choice.q) == pytest.approx((p[0], q[0]), rel=1e-12)
    last = cautious(p, q, BUDGET["trials"], BUDGET["trials"], z=stats.norm.isf(BUDGET["alpha"]), scale="log")
    assert choice.gain == pytest.approx(discount * np.log(last[0] / last[1])[0], rel=1e-9)


def test_a_favoured_score_wins_where_it_promises_as_much():
    first, second = shifted((0.5,))
    twice = [sample(np.repeat(side.values, 2, axis=1)) for side in (first, second)]
    scores = [Coordinate(column=column) for column in (0, 1)]
    tails = [Tails.of(score, (twice[0], twice[1])) for score in scores]
    assert largest_gain(tails, GOAL, **BUDGET).event.score == scores[0]
    assert largest_gain(tails, GOAL, **BUDGET, favoured=scores[1:]).event.score == scores[1]


def shifted(shifts, size=4000, seed=0):
    """Laplace noise on every coordinate; on the second side each is moved by its own shift."""
    rng = np.random.default_rng(seed)
    return tuple(sample(rng.laplace(size=(size, len(shifts))) + side * np.asarray(shifts)) for side in (0, 1))


@pytest.mark.parametrize("kept", [1, 2, 3, 7])
@pytest.mark.parametrize("shifts", [(0.5, 0.0, 0.9, 0.2, 0.7), (0.0, 0.01, 0.0, 0.02, 0.0)])
def test_the_most_telling_scores_are_those_that_promise_most_one_by_one(shifts, kept):
    """A naive twin: each score's own best event, asked for alone (a lesser caution's promise is discounted there)."""
    sides = shifted(shifts)
    scores = [Coordinate(column=column) for column in range(len(shifts))]
    alone = [largest_gain([Tails.of(score, sides)], GOAL, **BUDGET) for score in scores]
    gains = [0.0 if choice is None else choice.gain for choice in alone]
    best = sorted(sorted(range(len(scores)), key=lambda i: -gains[i])[:kept])
    assert most_telling(scores, sides, GOAL, kept=kept, **BUDGET) == [scores[i] for i in best]


def test_constant_scores_are_never_among_the_most_telling():
    first, second = shifted((0.5, 0.5))
    flat = [sample(np.column_stack([np.ones(side.size), side.values])) for side in (first, second)]
    scores = [Coordinate(column=column) for column in range(3)]
    assert most_telling(scores, (flat[0], flat[1]), GOAL, kept=2, **BUDGET) == scores[1:]


def test_a_sure_promise_ranks_before_a_lucky_one():
    """Twelve extreme draws on one side only look like more than a sure shift, to whoever is not cautious."""
    first, second = shifted((0.5, 0.0))
    lucky = first.values.copy()
    lucky[:12, 1] = 50.0 + np.arange(12)
    sides = sample(lucky), second
    assert most_telling([Coordinate(column=1), Coordinate(column=0)], sides, GOAL, kept=1, **BUDGET) == [
        Coordinate(column=0)
    ]


def test_a_bold_look_at_few_events_is_less_cautious():
    """A coin has two thresholds' worth of events: 2 standard errors for the bold, 3 for the others."""
    coins = [sample(np.array([0, 1]), weights=np.array([10_000 - heads, heads])) for heads in (5300, 5000)]
    tails = Tails.of(Coordinate(column=None), (coins[0], coins[1]))
    bold, other = (largest_gain([tails], GOAL, bold=is_bold, **BUDGET) for is_bold in (True, False))
    assert bold.gain == pytest.approx(1e3 * other.gain, rel=1e-9), "the other took a step down in caution for it"
    assert (bold.p, bold.q) == (other.p, other.q)
