"""The rarest leak: against simulation of its own definition, and as it should move with trials and claim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import dpverify as dpv
from dpverify.sampling.streams import stream
from dpverify.stats.joint import JointRegion
from dpverify.stats.power import detectable_probability
from dpverify.stats.rarest_leak import POWER, rarest_leak
from dpverify.stats.refute import excess_lower


def test_it_is_what_it_says_by_enumeration():
    """An event of this rate, impossible on the other side, refutes with at least 80 % power; half as many do not."""
    guarantee, n, alpha = dpv.PureDP(epsilon=1.0), 2_000, 0.001
    found = rarest_leak(guarantee, n, alpha=alpha)

    def allowed(q):
        return np.minimum(1.0 - np.asarray(guarantee.tradeoff(q)), 1.0)

    counts = np.arange(200)
    refuted = [
        excess_lower(JointRegion(k1=int(k), n1=n, k2=0, n2=n, alpha=alpha, share=0.5), allowed) > 0.0 for k in counts
    ]
    power = [float(stats.binom.pmf(counts, n, p)[refuted].sum()) for p in (found, found / 2)]
    assert power[0] >= POWER > power[1]


def test_it_falls_with_trials_and_grows_with_the_claim():
    several = [rarest_leak(dpv.PureDP(epsilon=1.0), n, alpha=0.001) for n in (10**3, 10**4, 10**5)]
    assert several[0] > several[1] > several[2] > 1e-5
    claims = [rarest_leak(dpv.PureDP(epsilon=e), 10**5, alpha=0.001) for e in (0.5, 1.0, 3.0)]
    assert claims == sorted(claims)
    assert rarest_leak(dpv.ApproxDP(epsilon=1.0, delta=0.25), 10**5, alpha=0.001) > 0.25


def test_where_nothing_could_be_seen_there_is_none():
    assert rarest_leak(dpv.PureDP(epsilon=20.0), 50, alpha=1e-9) is None


def test_a_real_mechanism_that_leaks_more_rarely_is_seen_in_less_than_that_power():
    found = rarest_leak(dpv.PureDP(epsilon=1.0), 10_000, alpha=0.001)
    assert math.isfinite(found)
    rng = stream(0, "rarest")
    hits = rng.binomial(10_000, found, size=400)
    region = [JointRegion(k1=int(k), n1=10_000, k2=0, n2=10_000, alpha=0.001, share=0.5) for k in hits]
    refutes = [excess_lower(each, lambda q: np.minimum(np.e * np.asarray(q), 1.0)) > 0 for each in region]
    assert np.mean(refutes) > 0.7  # 80 % are due: under 70 % of 400 has probability below 1e-6
    assert pytest.approx(0.8) == POWER


def test_of_a_claim_that_is_not_symmetric_it_is_the_larger_one():
    """A curve and the same curve with the sides swapped allow their rarest events different probabilities."""
    n, alpha = 2_000, 0.001
    claims = [dpv.Tradeoff(alphas=(0, 0.5, 1), betas=betas) for betas in ((1, 0.05, 0), (0.9, 0.3, 0))]
    for claim in claims:
        sides = []
        for reverse in (False, True):

            def allowed(q, reverse=reverse, claim=claim):
                return np.minimum(1.0 - np.asarray(claim.tradeoff(q, reverse=reverse)), 1.0)

            sides.append(detectable_probability(0.0, n, n, allowed=allowed, alpha=alpha))
        assert sides[0] != pytest.approx(sides[1], rel=1e-3)
        assert rarest_leak(claim, n, alpha=alpha) == pytest.approx(max(sides), rel=1e-9)
