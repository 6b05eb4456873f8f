"""What claims allow of Renyi divergences, and bounds turned round: always in the sound direction."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.privacy.renyi.plan import ORDERS, aims, pure_divergence
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import LevelCurve, Tradeoff
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP


def divergence(p, q, order):
    return math.log(float(np.sum(p**order * q ** (1 - order)))) / (order - 1)


def test_renyi_claims_are_measured_as_they_stand():
    found = aims(RDP(orders=(2, 8), epsilons=(0.5, 3)))
    assert [(aim.order, aim.allowed, aim.via) for aim in found] == [(2, 0.5, "renyi"), (8, 3, "renyi")]
    assert all(aim.allowed == pytest.approx(0.5 * aim.order) for aim in aims(ZCDP(rho=0.5)))
    assert found[0].value(0.7) == 0.7


def test_order_infinity_is_pure():
    assert [aim.allowed for aim in aims(RDP(order=math.inf, epsilon=1))] == [
        aim.allowed for aim in aims(PureDP(epsilon=1))
    ]
    assert {aim.via for aim in aims(RDP(orders=(2, math.inf), epsilons=(0.2, 1)))} == {"renyi", "epsilon"}


def test_approximate_claims_bound_no_divergence():
    assert aims(ApproxDP(epsilon=1, delta=1e-5)) == ()
    assert aims(Tradeoff(alphas=(0, 0.25, 1), betas=(1, 0.25, 0))) == ()
    assert aims(LevelCurve(family="gaussian-classic", epsilon=0.9, delta=1e-3)) == ()
    assert aims(LevelCurve(family="gaussian-analytic", epsilon=1, delta=1e-5)), "its parameter does"
    assert aims(LevelCurve(family="zcdp", epsilon=1, delta=1e-5)) == (), "the pairs of zCDP are not zCDP"


@given(st.floats(1e-3, 20), st.sampled_from(ORDERS))
def test_the_pure_bound_is_below_the_textbook_ones(epsilon, order):
    assert pure_divergence(epsilon, order) <= min(epsilon, order * epsilon**2 / 2) * (1 + 1e-9)


@given(st.integers(0, 10**6), st.floats(0.05, 4), st.sampled_from(ORDERS))
def test_no_pure_pair_exceeds_what_its_epsilon_allows(seed, epsilon, order):
    """Random laws, moved towards each other until their largest log-ratio is epsilon exactly."""
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6))
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        mixed = p * middle + q * (1 - middle), q
        inside = np.abs(np.log(mixed[0]) - np.log(mixed[1])).max() <= epsilon
        low, high = (middle, high) if inside else (low, middle)
    mixed = p * low + q * (1 - low)
    (aim,) = [aim for aim in aims(PureDP(epsilon=epsilon)) if aim.order == order]
    assert max(divergence(mixed, q, order), divergence(q, mixed, order)) <= aim.allowed + 1e-12


@pytest.mark.parametrize("order", [1.25, 2.0, 32.0])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
def test_a_bound_turned_round_is_never_above_the_truth(order, epsilon):
    (aim,) = [aim for aim in aims(PureDP(epsilon=1)) if aim.order == order]
    turned = aim.value(pure_divergence(epsilon, order))
    assert turned <= epsilon
    assert turned == pytest.approx(epsilon, rel=1e-6)
    (aim,) = [aim for aim in aims(GDP(mu=1)) if aim.order == order]
    assert aim.value(order * epsilon**2 / 2) == pytest.approx(epsilon, rel=1e-12)
    assert aim.value(order * epsilon**2 / 2) <= epsilon
    assert aim.value(0.0) == 0.0
    assert aim.value(math.inf) == math.inf
