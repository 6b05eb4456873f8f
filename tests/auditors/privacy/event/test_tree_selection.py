"""When trees are grown: where they promise more, on what their own draws have not taught, and not where they cannot."""

from dataclasses import replace

import numpy as np

from auditors.privacy.event.select import choose, shortlist
from auditors.privacy.event.statistics import Statistic
from auditors.privacy.event.tree_selection import ALMOST, choose_trees, grown_in_full, trial_trees
from auditors.privacy.event_bounds import Goal
from dpverify.definitions.pure_dp import PureDP
from tests.auditors.privacy.samples import drawn, sample, split


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
