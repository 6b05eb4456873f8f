"""What methods that count one event say that they would have detected: closed form, nothing to catch, and simulated.

The simulations fail with probability below 1e-8 where what is promised (0.8) is kept.
"""

from __future__ import annotations

import bisect
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import dpverify as dpv
from auditors.privacy import detectable as power_module
from auditors.privacy.detectable import detectable, detects
from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.event_bounds import Goal, value
from auditors.privacy.histogram.auditor import HistogramAuditor
from auditors.privacy.tradeoff import TradeoffAuditor
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.stats.joint import JointRegion
from dpverify.stats.power import detectable_probability
from tests.auditors.privacy.detects import KNOWN, detections, fewest
from tests.calibration.harness import boundary_task

TRIALS, REPETITIONS = 2000, 40


def counted(p: float, q: float, *, trials: int = TRIALS, alpha: float = 0.05) -> JointRegion:
    return JointRegion(k1=round(p * trials), n1=trials, k2=round(q * trials), n2=trials, alpha=alpha, share=0.5)


def power(p: float, q: float, guarantee, *, trials: int, alpha: float) -> float:
    """Exactly: the probability that the counts refute the claim, over all likely counts."""
    likely = [
        range(int(stats.binom.ppf(1e-4, trials, r)), int(stats.binom.ppf(1 - 1e-4, trials, r)) + 1) for r in (p, q)
    ]
    goal, total = Goal(guarantee=guarantee), 0.0

    def refutes(k1: int) -> bool:
        region = JointRegion(k1=k1, n1=trials, k2=k2, n2=trials, alpha=alpha, share=0.5)
        return goal.finding(region, 0).excess > 0

    for k2 in likely[1]:
        least = bisect.bisect_left(likely[0], True, key=refutes)  # more hits under P refute all the more
        total += stats.binom.pmf(k2, trials, q) * stats.binom.sf(likely[0][0] + least - 1, trials, p)
    return total


def test_randomised_response_is_caught_where_its_power_is_eighty_percent():
    """Logits move apart exactly as its epsilon grows: the power there, enumerated, is 0.8 and a little more, where the
    counts are the probabilities themselves and all that they show is believed."""
    claim, trials = PureDP(epsilon=1.0), 150
    share = 1 / (1 + math.exp(-1))
    found = _with_caution(Goal(guarantee=claim), counted(share, 1 - share, trials=trials), 0.0)
    share = 1 / (1 + math.exp(-found))
    assert 0.8 <= power(share, 1 - share, claim, trials=trials, alpha=0.05) < 0.99


def alone(goal, q, trials, *, alpha, share, direction):
    """The smallest value that an event of probability q must itself show, for 80 % power; may be inf."""
    p = detectable_probability(q, trials, trials, allowed=goal.allowed(direction), alpha=alpha, share=share)
    return float(value(goal.headline, np.array(p), np.array(q))) if math.isfinite(p) else math.inf


def test_what_the_event_misses_of_the_claim_it_misses_of_larger_values_too():
    """Both events are refuting at about the same epsilon of their own; one of them shows 0.7 of the claim."""
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    whole = detectable(goal, counted(0.5, 0.5 * math.exp(-1.0)), 0)
    part = detectable(goal, counted(0.5, 0.5 * math.exp(-0.7)), 0)
    assert 1.1 < whole < 1.3
    assert 1.3 * whole < part < 1.6 * whole


def test_the_figure_is_finite_where_no_p_would_do_at_the_counted_q():
    """Less noise makes q smaller, too."""
    goal, region = Goal(guarantee=PureDP(epsilon=1.0)), counted(0.8, 0.6, trials=50, alpha=0.01)
    assert alone(goal, 0.6, 50, alpha=0.01, share=0.5, direction=0) == math.inf
    assert 1.0 < detectable(goal, region, 0) < math.inf


@pytest.mark.parametrize("guarantee", [PureDP(epsilon=1.0), GDP(mu=1.0)], ids=lambda item: item.text())
def test_where_no_value_would_do_it_says_so(guarantee):
    goal = Goal(guarantee=guarantee)
    assert detectable(goal, counted(0.4, 0.4), 0) == math.inf
    assert detectable(goal, counted(0.3, 0.5), 0) == math.inf
    assert detectable(goal, counted(0.8, 0.2, trials=5, alpha=1e-6), 0) == math.inf


@pytest.mark.slow
@pytest.mark.parametrize("name", ["laplace", "gaussian"])
@pytest.mark.parametrize("auditor", [HistogramAuditor(), TradeoffAuditor()], ids=lambda auditor: auditor.name)
def test_what_it_calls_detectable_it_detects(auditor, name):
    """Measured over 80: 0.88 on Gaussian noise, 0.94 on Laplace noise (0.75 and 0.81 before the part was made less)."""
    found = detections(auditor, name, trials=TRIALS, alpha=0.05, repetitions=REPETITIONS)
    assert found >= fewest(REPETITIONS), found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["laplace", "gaussian", "response"])
def test_what_the_event_auditor_calls_detectable_it_detects(name):
    """What it must choose on draws of its own included. Measured over 40: 1.00, 0.95 and 0.92 (0.78 on Laplace and 0.50
    on Gaussian noise when the event chosen was taken to show all of a larger value)."""
    found = detections(EventAuditor(), name, trials=TRIALS, alpha=0.05, repetitions=4 * REPETITIONS)
    assert found >= fewest(4 * REPETITIONS), found


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_the_event_auditor_prints_what_its_own_counts_say_would_be_caught(name):
    """And that is more than the value which the event alone would have to show."""
    task = boundary_task(EventAuditor(), KNOWN[name], alpha=0.05, trials=TRIALS, repetition=0)
    found = EventAuditor().audit(task)
    counts, goal = found.statistics, Goal(guarantee=task.claim.guarantee)
    share, direction = counts["region"]["share"], int(counts["direction"] == "d1 against d0")
    region = JointRegion(k1=counts["k1"], n1=TRIALS, k2=counts["k2"], n2=TRIALS, alpha=0.05, share=share)
    assert found.detectable == detectable(goal, region, direction)
    rate = (counts["k2"] + 0.5) / (TRIALS + 1)
    assert found.detectable > 1.02 * alone(goal, rate, TRIALS, alpha=0.05, share=share, direction=direction)


def test_the_part_that_the_event_shows_is_taken_less_a_standard_error():
    """At (0.5, 0.5 / e) all of the claim is counted; with few draws a good deal less is believed."""
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    p, q, n = 0.5, 0.5 * math.exp(-1.0), 400
    region = JointRegion(k1=round(n * p), n1=n, k2=round(n * q), n2=n, alpha=0.05, share=0.5)
    error = math.sqrt((1 - p) / (p * n) + (1 - q) / (q * n))
    found = {caution: _with_caution(goal, region, caution) for caution in (0.0, math.sqrt(0.5))}
    assert found[math.sqrt(0.5)] == detectable(goal, region, 0)
    assert 1 + 0.9 * error < found[math.sqrt(0.5)] / found[0.0] < 1 + 2.0 * error


def _with_caution(goal, region, caution):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_module, "CAUTION", caution)
        return detectable(goal, region, 0)


CLAIMS = [
    dpv.PureDP(epsilon=1.0),
    dpv.PureDP(epsilon=0.1),
    dpv.ApproxDP(epsilon=1.0, delta=1e-3),
    dpv.ApproxDP(epsilon=0.0, delta=0.1),
    dpv.ZCDP(rho=0.5),
    dpv.GDP(mu=1.0),
]

NEAR = 2e-3
"""Relative precision of both searches together, with room."""


@settings(max_examples=20 if settings.default.max_examples < 1000 else 1000, deadline=None)  # 0.1 s each
@given(st.sampled_from(CLAIMS), st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.integers(200, 200_000), st.data())
def test_it_says_what_the_search_says(claim, p, q, draws, data):
    assume(p > q)
    goal = Goal(guarantee=claim)
    region = JointRegion(k1=round(p * draws), n1=draws, k2=round(q * draws), n2=draws, alpha=1e-3, share=0.3)
    direction = data.draw(st.integers(0, 1))
    least = detectable(goal, region, direction)
    if math.isinf(least):
        assert not detects(goal, region, direction, at_most=1e3 * goal.headline.claimed)
        return
    # where a measure is at its largest, no wider gap shows more
    assume(goal.headline.kind != "delta" or least < 0.99)
    assert detects(goal, region, direction, at_most=least * (1 + NEAR))
    assert not detects(goal, region, direction, at_most=least * (1 - NEAR))


@pytest.mark.parametrize(("k1", "k2"), [(50, 50), (10, 90)])
def test_an_event_that_is_not_more_likely_on_its_side_detects_nothing(k1, k2):
    region = JointRegion(k1=k1, n1=100, k2=k2, n2=100, alpha=1e-3)
    assert not detects(Goal(guarantee=CLAIMS[0]), region, 0, at_most=math.inf)


def test_more_draws_detect_no_less():
    goal = Goal(guarantee=CLAIMS[0])

    def found(draws):
        region = JointRegion(k1=round(0.6 * draws), n1=draws, k2=round(0.3 * draws), n2=draws, alpha=1e-9)
        return detects(goal, region, 0, at_most=2.0)

    looks = [found(1000 << power) for power in range(8)]
    assert looks == sorted(looks) and looks[0] != looks[-1]
