"""What methods on bins say that they would have caught: closed form, nothing to catch, and simulated at two mechanisms.

The simulations fail with probability below 1e-8 where what is promised (0.8) is kept.
"""

from __future__ import annotations

import math

import pytest
from scipy import optimize, stats

from auditors.privacy.goal import Goal
from auditors.privacy.histogram.auditor import HistogramAuditor
from auditors.privacy.histogram.power import detectable
from auditors.privacy.tradeoff import TradeoffAuditor
from dpverify.core.verdict import Status, judge
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.stats.joint import JointRegion
from tests.calibration.boundaries import boundaries
from tests.calibration.harness import boundary_task
from tests.power.sweep import turned_down

TRIALS, REPETITIONS, FEWEST = 2000, 40, 16


def counted(p: float, q: float, *, trials: int = TRIALS, alpha: float = 0.05) -> JointRegion:
    return JointRegion(k1=round(p * trials), n1=trials, k2=round(q * trials), n2=trials, alpha=alpha, share=0.5)


def power(p: float, q: float, guarantee, *, trials: int, alpha: float) -> float:
    """Exactly: the probability that the counts refute the claim, over all likely counts."""
    likely = [
        range(int(stats.binom.ppf(1e-4, trials, r)), int(stats.binom.ppf(1 - 1e-4, trials, r)) + 1) for r in (p, q)
    ]
    goal, total = Goal(guarantee=guarantee), 0.0
    for k1 in likely[0]:
        for k2 in likely[1]:
            region = JointRegion(k1=k1, n1=trials, k2=k2, n2=trials, alpha=alpha, share=0.5)
            if goal.finding(region, 0).excess > 0:
                total += stats.binom.pmf(k1, trials, p) * stats.binom.pmf(k2, trials, q)
    return total


def test_randomised_response_is_caught_where_its_power_is_eighty_percent():
    """Logits move apart exactly as its epsilon grows: the power there, enumerated, is 0.8 and a little more."""
    claim, trials = PureDP(epsilon=1.0), 150
    share = 1 / (1 + math.exp(-1))
    found = detectable(Goal(guarantee=claim), counted(share, 1 - share, trials=trials), 0)
    share = 1 / (1 + math.exp(-found))
    assert 0.8 <= power(share, 1 - share, claim, trials=trials, alpha=0.05) < 0.99


def test_what_the_event_misses_of_the_claim_it_misses_of_larger_values_too():
    """Both events are refuting at about the same epsilon of their own; one of them shows 0.7 of the claim."""
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    whole = detectable(goal, counted(0.5, 0.5 * math.exp(-1.0)), 0)
    part = detectable(goal, counted(0.5, 0.5 * math.exp(-0.7)), 0)
    assert 1.1 < whole < 1.25
    assert 1.3 * whole < part < 1.6 * whole


def test_the_figure_is_finite_where_no_p_would_do_at_the_counted_q():
    """Less noise makes q smaller, too."""
    goal, region = Goal(guarantee=PureDP(epsilon=1.0)), counted(0.8, 0.6, trials=50, alpha=0.01)
    assert goal.detectable(0.6, 50, alpha=0.01, share=0.5, direction=0) == math.inf
    assert 1.0 < detectable(goal, region, 0) < math.inf


@pytest.mark.parametrize("guarantee", [PureDP(epsilon=1.0), GDP(mu=1.0)], ids=lambda item: item.text())
def test_where_no_value_would_do_it_says_so(guarantee):
    goal = Goal(guarantee=guarantee)
    assert detectable(goal, counted(0.4, 0.4), 0) == math.inf
    assert detectable(goal, counted(0.3, 0.5), 0) == math.inf
    assert detectable(goal, counted(0.8, 0.2, trials=5, alpha=1e-6), 0) == math.inf


def _noise_of(name: str, value: float) -> float:
    """The share of the right noise at which the headline's true value is this."""
    if name == "laplace":
        return 1.0 / value
    delta = known()[name].guarantee.measures()[0].argument
    return 1.0 / optimize.brentq(lambda mu: float(GDP(mu=mu).delta(value)) - delta, 0.5, 50.0)


def known():
    return {boundary.name: boundary for boundary in boundaries()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["laplace", "gaussian"])
@pytest.mark.parametrize("auditor", [HistogramAuditor(), TradeoffAuditor()], ids=lambda auditor: auditor.name)
def test_what_it_calls_detectable_it_detects(auditor, name):
    """The figure of each audit, on fresh draws with so much less noise: fewer than 16 of 40 have probability 1e-8."""
    assert stats.binom.cdf(FEWEST - 1, REPETITIONS, 0.8) < 1e-8
    boundary, seen = known()[name], 0
    for repetition in range(REPETITIONS):
        said = auditor.audit(boundary_task(auditor, boundary, alpha=0.05, trials=TRIALS, repetition=repetition))
        less = turned_down(boundary, _noise_of(name, said.detectable))
        task = boundary_task(auditor, less, alpha=0.05, trials=TRIALS, repetition=REPETITIONS + repetition)
        seen += judge(auditor.audit(task)) is Status.REFUTED
    assert seen >= FEWEST, seen
