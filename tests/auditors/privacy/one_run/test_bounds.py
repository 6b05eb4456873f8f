"""What right guesses say of a claim: critical counts beside bounds, both theorems, tables of curves, the power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.one_run.bounds import OneRunGoal, Run, approx_inverse, tabulated
from auditors.privacy.one_run.guesses import Rule, default_rules
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.stats.one_run import gaussian_inverse


def power_of_a_perfect_attack(goals):
    """Exactly, over the number of canaries that are in."""
    m = goals[0].run.canaries
    refuted = [
        any(goal.refuted(min(goal.run.rule.inside, k) + min(goal.run.rule.outside, m - k)) for goal in goals)
        for k in range(m + 1)
    ]
    return float(np.sum(stats.binom.pmf(np.arange(m + 1), m, 0.5) * refuted))


def test_what_is_detectable_is_detected_four_times_of_five():
    """The claim refuted 13 times of 60 by an attack that knows everything, under "would have detected 5.54"."""
    claim, m = ApproxDP(epsilon=4.0, delta=1e-5), 1000

    def goals(rules):
        runs = [Run(canaries=m, rule=rule, values=2, alpha=0.001 / len(rules)) for rule in rules]
        return [OneRunGoal(guarantee=claim, run=run) for run in runs]

    halves = goals([Rule(inside=m // part, outside=m // part) for part in (2, 8, 32)])
    assert power_of_a_perfect_attack(halves) < 0.3
    assert min(goal.detectable for goal in halves) == math.inf  # said, not promised
    ours = goals(default_rules(m))
    assert power_of_a_perfect_attack(ours) >= 0.8
    assert min(goal.detectable for goal in ours) < 6


@pytest.mark.parametrize("inside", [200, 170, 50])
def test_guesses_at_the_detectable_rate_refute_four_times_of_five(inside):
    """Simulated randomised response; fails where so few of 4000 have a probability below 1e-8 at a power of 0.78."""
    rng, m, runs = np.random.default_rng(22), 400, 4000
    run = Run(canaries=m, rule=Rule(inside=inside, outside=inside), values=2, alpha=1e-3)
    goal = OneRunGoal(guarantee=PureDP(epsilon=1.0), run=run)
    rate = 1 / (1 + math.exp(-goal.detectable))
    included = rng.integers(0, 2, (runs, m))
    looks_in = np.where(rng.random((runs, m)) < rate, included, 1 - included)
    ranked = np.take_along_axis(included, np.argsort(looks_in + 0.5 * rng.random((runs, m)), axis=1), axis=1)
    right = ranked[:, m - inside :].sum(axis=1) + (1 - ranked[:, :inside]).sum(axis=1)
    caught = int(np.sum(right >= goal.critical))
    assert stats.binom.cdf(caught, runs, 0.78) > 1e-8
    assert stats.binom.sf(caught - 1, runs, 0.9) > 1e-8  # and no much larger one is named


def test_the_bound_and_the_count_agree():
    """The bound is above the claim exactly from the critical count on."""
    run = Run(canaries=400, rule=Rule(inside=50, outside=50), values=2, alpha=0.01)
    for guarantee in (ApproxDP(epsilon=0.5, delta=1e-4), GDP(mu=0.2), PureDP(epsilon=1.0)):
        goal = OneRunGoal(guarantee=guarantee, run=run)
        critical = goal.critical
        assert goal.bound(critical) > goal.measure.claimed >= goal.bound(critical - 1)


def test_the_better_theorem_serves():
    """The binomial one for pure epsilon (where it is exact), and never less than either for (epsilon, delta)."""
    run = Run(canaries=300, rule=Rule(inside=50, outside=50), values=2, alpha=0.01)
    pure = OneRunGoal(guarantee=PureDP(epsilon=1.0), run=run)
    q = math.e / (1 + math.e)
    assert pure.critical == int(stats.binom.isf(0.01, 100, q)) + 1
    leaky = OneRunGoal(guarantee=ApproxDP(epsilon=1.0, delta=1e-4), run=run)
    counts = [leaky._least(test) for test in leaky._tests(1.0)]
    assert leaky.critical == min(count for count in counts if count is not None)


def test_a_table_of_a_curve_errs_below():
    exact, table = gaussian_inverse(0.7), tabulated(GDP(mu=0.7), least=1e-6)
    for x in np.concatenate([np.geomspace(1e-8, 0.5, 300), 1 - np.geomspace(1e-8, 0.5, 300), [0.0, 1.0]]).tolist():
        assert table(x) <= exact(x) * (1 + 1e-9)
        if 1e-5 < x < 0.999:
            assert table(x) >= 0.93 * exact(x)
    assert approx_inverse(1.0, 0.0)(0.5) == pytest.approx(0.5 / math.e)
