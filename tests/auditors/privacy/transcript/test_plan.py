"""Planning events: the claim's own law of the score, seen and unlucky frequencies, and who is counted where."""

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.transcript.plan import (
    LARGEST,
    Score,
    best_event,
    claim_events,
    exceeding,
    log_ratio,
    pilot_events,
    scores_for,
    separation,
)
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


BASE = {"column": 0, "sign": 1.0, "centre": 0.0, "rate": 0.3, "sigma": 1.7}


def test_the_likelihood_ratio_is_that_of_the_two_laws():
    x = np.random.default_rng(0).normal(size=(5, 4, 1)) * 3
    absent = stats.norm(0, 1.7)
    present = stats.norm(1, 1.7)
    mixture = 0.7 * absent.pdf(x) + 0.3 * present.pdf(x)
    wanted = np.sum(np.log(mixture / absent.pdf(x)), axis=(1, 2))
    assert np.allclose(Score(kind="likelihood ratio", **BASE).of(x), wanted, rtol=1e-12)
    whole = Score(kind="likelihood ratio", **{**BASE, "rate": 1.0}).of(x)
    assert np.allclose(whole, np.sum(np.log(present.pdf(x) / absent.pdf(x)), axis=(1, 2)), rtol=1e-12)


def test_far_values_meet_the_asymptote_without_a_jump():
    sigma = 0.5
    score = Score(kind="likelihood ratio", **{**BASE, "sigma": sigma})
    near = 0.5 + 40 * sigma**2
    x = np.array([near - 1e-9, near, near + 1e-9])[:, None, None]
    assert np.ptp(score.of(x)) < 1e-7
    assert score.of(np.array([[[1e8]]]))[0] == pytest.approx((1e8 - 0.5) / sigma**2 + np.log(0.3), rel=1e-9)


def test_sign_centre_energy_and_largest():
    x = np.array([[[1.0], [-3.0]], [[0.0], [2.0]]])
    assert Score(kind="energy", **BASE).of(x).tolist() == [10.0, 4.0]
    assert Score(kind="largest", **BASE).of(x).tolist() == [1.0, 2.0]
    assert Score(kind="largest", **{**BASE, "sign": -1.0, "centre": 1.0}).of(x).tolist() == [4.0, 1.0]


def test_what_is_no_number_counts_as_large():
    x = np.array([[[np.nan]], [[np.inf]], [[-np.inf]], [[1e300]]])
    assert Score(kind="largest", **BASE).of(x).tolist() == [LARGEST, LARGEST, -LARGEST, LARGEST]
    assert np.all(np.isfinite(Score(kind="likelihood ratio", **BASE).of(x)))


def test_centres_are_found_and_blank_records_have_none():
    noise = np.random.default_rng(1).normal(size=(200, 10, 2))
    noise[:, :, 1] -= 4.0
    found = scores_for(noise, rate=0.3, sigma=1.0)
    assert {score.column for score in found} == {0, 1}
    assert all(score.centre == 0.0 for score in found if score.column == 0)
    assert all(score.centre == pytest.approx(-4.0, abs=0.1) for score in found if score.column == 1)
    assert found[0].kind == found[1].kind == "likelihood ratio"
    assert all(np.isfinite(score.centre) for score in scores_for(np.full((3, 2, 1), np.nan), rate=0.3, sigma=1.0))
    assert found[0].plain()["sigma"] == 1.0
    assert "likelihood" in found[0].text()
