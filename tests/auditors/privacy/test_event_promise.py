"""Caution for what is only estimated, and the ranking of scores before all of them are tried."""

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event_bounds import Goal
from auditors.privacy.event_outputs import Sample
from auditors.privacy.event_promise import cautious, most_telling, promising
from auditors.privacy.event_scores import Coordinate
from auditors.privacy.event_tails import Tails
from dpverify.definitions.pure_dp import PureDP

GOAL = Goal(guarantee=PureDP(epsilon=1.0))
BUDGET = {"trials": 20_000, "alpha": 1e-3}


def sample(values, weights=None):
    values = np.asarray(values)
    return Sample(values=values, weights=weights, size=len(values) if weights is None else int(weights.sum()))


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
    alone = [promising([Tails.of(score, sides)], GOAL, **BUDGET) for score in scores]
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
