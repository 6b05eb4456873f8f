"""The event auditor at exact boundaries: how often it refutes what is true, and how much of the truth it reaches.

False alarms: the "must not refute" audits run at alpha = 1e-10; the pooled calibration and the others state their own.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpverify.core.claim import SearchSpace
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.stats.epsilon import epsilon_lower
from dpverify.stats.joint import JointRegion

pytestmark = pytest.mark.ci

SAFE = 1e-10
LEVEL = 0.05


@pytest.mark.parametrize("each", [4, pytest.param(25, marks=pytest.mark.slow)])
def test_refutes_true_claims_no_more_often_than_alpha(audit, noise, response, pair, each):
    """More refutations than `most`, among all audits at level 0.05, have probability below 1e-9 for a valid auditor."""
    boundaries = [
        (response(epsilon=1.0, size=4), PureDP(epsilon=1.0), Value(), SearchSpace(size=4)),
        (noise(), PureDP(epsilon=1.0), pair([0.0], [1.0]), SearchSpace()),
        (noise(kind="normal"), GDP(mu=1.0), pair([0.0], [1.0]), SearchSpace()),
        (response(epsilon=0.0, size=64), PureDP(epsilon=0.0), pair(0, 1, "value"), SearchSpace(size=64)),
    ]
    most = stats.binom.isf(1e-9, each * len(boundaries), LEVEL)
    found = 0
    for subject, guarantee, neighbors, space in boundaries:
        for seed in range(each):
            evidence = audit(subject, guarantee, neighbors, space=space, trials=400, alpha=LEVEL, seed=seed)
            found += judge(evidence) is Status.REFUTED
    assert found <= most


def test_equal_sides_show_nothing(function, noise, pair, audit):
    evidence = audit(noise(), PureDP(epsilon=1.0), pair([0.5], [0.5]), alpha=SAFE)
    assert judge(evidence) is Status.NOT_REFUTED
    constant = function(lambda d, size, rng: np.zeros((size, 2)))
    evidence = audit(constant, PureDP(epsilon=1.0), pair([0.0], [1.0]), alpha=SAFE)
    assert judge(evidence) is Status.NOT_REFUTED
    assert evidence.bound == 0


@pytest.mark.slow
def test_what_it_calls_detectable_it_detects(response, audit):
    """At the smallest detectable epsilon four in five audits refute: fewer than 12 of 40 have probability 1e-12."""
    claim, trials = PureDP(epsilon=1.0), 2000
    detectable = audit(response(epsilon=1.0), claim, Value(), space=SearchSpace(size=2), trials=trials).detectable
    subject = response(epsilon=detectable)
    found = [
        judge(audit(subject, claim, Value(), space=SearchSpace(size=2), trials=trials, seed=seed)) is Status.REFUTED
        for seed in range(40)
    ]
    assert sum(found) >= 12


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_laplace_is_measured_to_two_percent(noise, pair, audit, epsilon):
    """The floor: 0.98 epsilon at 99.9 %. Held against the counts to be expected of the chosen event, and (six standard
    errors lower, so that it fails with probability below 1e-9) against the counts themselves."""
    trials = 20_000_000
    evidence = audit(noise(scale=1 / epsilon), PureDP(epsilon=epsilon), pair([0.0], [1.0]), trials=trials)
    s = evidence.statistics
    assert s["event"]["kind"] == "coordinate"
    law = [stats.laplace(loc=d, scale=1 / epsilon) for d in (0.0, 1.0)]
    rates = [
        one.sf(s["event"]["threshold"]) if s["event"]["above"] else one.cdf(s["event"]["threshold"]) for one in law
    ]
    p, q = rates if s["direction"] == "d0 against d1" else rates[::-1]
    expected = JointRegion(
        k1=round(p * trials),
        n1=trials,
        k2=round(q * trials),
        n2=trials,
        alpha=s["alpha"],
        share=s["region"]["share"],
    )
    assert epsilon_lower(expected) >= 0.98 * epsilon
    error = math.sqrt((1 - p) / (trials * p) + (1 - q) / (trials * q))
    assert evidence.bound >= epsilon_lower(expected) - 6 * error
