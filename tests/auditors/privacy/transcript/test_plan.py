"""Planning events: the claim's own law of the score, seen and unlucky frequencies, and who is counted where."""

import numpy as np
import pytest

from auditors.privacy.transcript.plan import best_event, claim_events, exceeding, log_ratio, pilot_events, separation
from auditors.privacy.transcript.scores import Score
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.stats.epsilon import epsilon_lower, mu_lower

GUARANTEE = SubsampledGaussian(rate=0.25, sigma=2.0, steps=8)
SCORE = Score(kind="likelihood ratio", column=0, sign=1.0, centre=0.0, rate=0.25, sigma=2.0)


def drawn(present, size, seed):
    rng = np.random.default_rng(seed)
    x = 2.0 * rng.normal(size=(size, 8, 1))
    return SCORE.of(x + (rng.random(x.shape) < 0.25) if present else x)


def test_planned_frequencies_are_the_scores_own():
    """20,000 draws; each of 12 frequencies leaves 7 deviations and 3 % of planning error with probability 1e-11."""
    plan = claim_events(SCORE, GUARANTEE)
    d0, d1 = drawn(False, 20_000, 0), drawn(True, 20_000, 1)
    for threshold in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5):
        at = int(np.argmin(np.abs(plan.thresholds - threshold)))
        for scores, wanted in ((d1, plan.p[at]), (d0, plan.q[at])):
            found = np.mean(scores > plan.thresholds[at])
            assert abs(found - wanted) < 7 * np.sqrt(wanted / 20_000) + 0.03 * wanted


def test_the_curves_event_is_in_the_bulk_and_epsilons_in_the_tail():
    plan = [claim_events(SCORE, GUARANTEE)]
    tail = best_event(
        plan, 50_000, alpha=0.04, objective=log_ratio(1e-5), bound=lambda region: epsilon_lower(region, delta=1e-5)
    )
    bulk = best_event(plan, 50_000, alpha=0.01, objective=separation, bound=mu_lower)
    assert tail.q < 0.01 < bulk.q
    assert tail.likelier == bulk.likelier == 1
    assert tail.threshold > bulk.threshold


def test_seen_events_count_both_ways_and_name_the_likelier_side():
    d0, d1 = np.arange(100.0), np.arange(100.0) + 30
    found = {(each.above, each.likelier): each for each in pilot_events(SCORE, d0, d1)}
    assert set(found) == {(True, 0), (True, 1), (False, 0), (False, 1)}
    above = found[True, 1]
    at = int(np.argmin(np.abs(above.thresholds - 99.0)))
    assert above.p[at] == pytest.approx(0.3, abs=0.03)
    assert above.q[at] == pytest.approx(0.0, abs=0.03)
    event = best_event([above], 1000, alpha=0.1, objective=separation, bound=mu_lower, pilot=100)
    assert event.hits(d1) > event.hits(d0)
    below = best_event([found[False, 0]], 1000, alpha=0.1, objective=separation, bound=mu_lower)
    assert below.hits(d0) > below.hits(d1)


def test_a_pilot_exceeds_only_a_claim_that_it_contradicts():
    equal, apart = (pilot_events(SCORE, drawn(False, 400, 2), drawn(side, 400, 3)) for side in (False, True))
    loud = pilot_events(SCORE, drawn(False, 400, 4), drawn(True, 400, 5) + 3)
    assert exceeding(equal, 400, GUARANTEE) < 0
    assert exceeding(apart, 400, GUARANTEE) < 0
    assert exceeding(loud, 400, GUARANTEE) > 0.2
