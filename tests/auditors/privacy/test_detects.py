"""`detects` against the search that it replaces."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dpverify as dpv
from auditors.privacy.detectable import detectable
from auditors.privacy.detects import detects
from auditors.privacy.event_bounds import Goal
from dpverify.stats.joint import JointRegion

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
