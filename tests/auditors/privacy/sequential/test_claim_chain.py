"""The chain of claims: its order, its place, lines that hold at the boundary, and points of attack."""

import math

import numpy as np
import pytest

from auditors.privacy.sequential.claim_chain import SLOPES, Target, check_claimed, profile, single, targets
from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP

MANY = RDP(orders=(2.0, 8.0), epsilons=(1.0, 4.0))
CURVE = Tradeoff(alphas=(0, 0.1, 0.4, 0.9, 1), betas=(0.95, 0.6, 0.2, 0, 0))
SINGLE = [
    PureDP(epsilon=1.0),
    PureDP(epsilon=0.0),
    ApproxDP(epsilon=0.5, delta=0.1),
    GDP(mu=1.0),
    RDP(order=2, epsilon=1),
]


@pytest.mark.parametrize("guarantee", [*SINGLE, MANY, ZCDP(rho=0.5), CURVE], ids=lambda one: one.text())
def test_chains_increase_and_pass_the_claimed_value_by_a_hair(guarantee):
    for target in targets(guarantee, most=4.0):
        values, claimed = target.values, target.measure.claimed
        assert np.all(np.diff(values) > 0.0)
        assert values[target.place] > claimed
        assert values[target.place] - claimed <= 1.01e-12 * max(claimed, 1.0)
        assert target.place == 0 or values[target.place - 1] < claimed


@pytest.mark.parametrize("guarantee", SINGLE, ids=lambda one: one.text())
def test_the_claimed_lines_hold_along_the_claimed_curve_and_one_of_them_touches_it(guarantee):
    assert single(guarantee)
    (target,) = targets(guarantee, most=4.0)
    slopes, deltas = target.claimed_lines()
    q = np.linspace(0.0, 1.0, 2001)[:, None]
    p = 1.0 - guarantee.tradeoff(q[:, 0])[:, None]
    gap = slopes * q + deltas - p
    assert gap.min() >= 0.0
    assert gap.min() < 1e-4
    t, delta = target.lines
    assert t.shape == delta.shape == (target.values.size, slopes.size)
    assert np.array_equal(np.exp(t[target.place]), slopes)


@pytest.mark.parametrize("guarantee", [MANY, ZCDP(rho=0.5), CURVE], ids=lambda one: one.text())
def test_a_guarantee_of_many_points_offers_them_all_in_both_directions(guarantee):
    assert not single(guarantee)
    found = targets(guarantee, most=4.0)
    assert [one.measure for one in found[: len(guarantee.measures())]] == list(guarantee.measures())
    for one in found:
        if one.direction is not None:
            allowed = float(guarantee.delta(one.measure.argument, reverse=bool(one.direction)))
            assert one.measure.claimed == pytest.approx(allowed)
            slopes, deltas = one.claimed_lines()
            assert slopes.tolist() == [math.exp(one.measure.argument)]
            assert deltas[0] > allowed


def test_the_two_directions_of_a_lopsided_curve_are_kept_apart():
    found = {one.direction: one.measure.claimed for one in targets(CURVE, most=1.0) if one.measure.argument == 1.0}
    assert abs(found[0] - found[1]) > 0.01


def test_profiles_are_kept_only_where_they_can_be():
    class Plain(GDP):
        __hash__ = None

    assert np.array_equal(profile(Plain(mu=1.0), 0), profile(GDP(mu=1.0), 0))
    assert profile(GDP(mu=1.0), 1).shape == SLOPES.shape


def test_chains_are_made_of_what_the_measure_implies():
    target = Target(measure=Measure(kind="delta", argument=0.5, claimed=0.1), most=1.0)
    t, delta = target.lines
    at = np.isclose(t, 0.5)
    assert np.allclose(delta[at], target.values, atol=1e-11)
    assert delta.max() <= 1.0


def test_what_no_bet_can_reach_is_told():
    with pytest.raises(InputError, match="betting against"):
        check_claimed(Measure(kind="epsilon", argument=0.0, claimed=1000.0))
