"""Ties between the definitions, each by a closed form: what one claim allows, the claims that it implies must allow."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.special import expit, ndtr

from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP

EXACT = 1e-9  # numerical curves are rounded outward by 1e-11
ALPHAS = np.unique(np.concatenate([expit(np.linspace(-30, 30, 241)), np.linspace(0, 1, 160)]))
EPSILONS = np.linspace(-4, 8, 37)


def check_contains(guarantee: PrivacyGuarantee, possible: PrivacyGuarantee, *, alphas: Float = ALPHAS) -> None:
    """Everything that `possible` allows is allowed."""
    assert np.all(guarantee.tradeoff(alphas) <= possible.tradeoff(alphas) + EXACT), "the region is too small"
    assert np.all(guarantee.delta(EPSILONS) >= possible.delta(EPSILONS) - EXACT), "the profile is too small"


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0])
def test_pure_is_approximate_without_delta_and_renyi_at_infinity(epsilon: float) -> None:
    pure = PureDP(epsilon=epsilon)
    for same in (ApproxDP(epsilon=epsilon, delta=0), RDP(order=math.inf, epsilon=epsilon)):
        assert np.allclose(same.tradeoff(ALPHAS), pure.tradeoff(ALPHAS), rtol=1e-13, atol=0)
        assert np.allclose(same.delta(EPSILONS), pure.delta(EPSILONS), rtol=1e-13, atol=0)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_randomised_response_attains_pure(epsilon: float) -> None:
    yes = math.exp(epsilon) / (1 + math.exp(epsilon))
    response = Tradeoff(alphas=(0, 1 - yes, 1), betas=(1, 1 - yes, 0))
    pure = PureDP(epsilon=epsilon)
    assert np.allclose(response.tradeoff(ALPHAS), pure.tradeoff(ALPHAS), rtol=0, atol=1e-14)
    assert np.allclose(response.delta(EPSILONS), pure.delta(EPSILONS), rtol=0, atol=1e-14)


@pytest.mark.parametrize("mu", [0.01, 0.5, 1.0, 3.0])
def test_gaussian_attains_gdp_and_keeps_its_renyi_claims(mu: float) -> None:
    # The likelihood-ratio test between N(0, 1) and N(mu, 1) at every threshold.
    thresholds = np.linspace(-8, 8 + mu, 200)
    assert np.allclose(GDP(mu=mu).tradeoff(ndtr(-thresholds)), ndtr(thresholds - mu), rtol=1e-9, atol=1e-15)
    for order in (1.01, 1.5, 2.0, 8.0, 100.0):
        check_contains(RDP(order=order, epsilon=order * mu**2 / 2), GDP(mu=mu))
    orders = (1.1, 2.0, 3.0, 20.0)
    check_contains(RDP(orders=orders, epsilons=tuple(order * mu**2 / 2 for order in orders)), GDP(mu=mu))
    check_contains(ZCDP(rho=mu**2 / 2), GDP(mu=mu))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_pure_keeps_the_renyi_claims_that_it_implies(epsilon: float) -> None:
    for order in (1.1, 2.0, 6.0, 50.0):
        check_contains(RDP(order=order, epsilon=min(epsilon, order * epsilon**2 / 2)), PureDP(epsilon=epsilon))
    check_contains(ZCDP(rho=epsilon**2 / 2), PureDP(epsilon=epsilon))


@pytest.mark.parametrize("rho", [0.005, 0.5, 5.0])
def test_zcdp_is_inside_each_of_its_orders(rho: float) -> None:
    for order in (1.001, 2.0, 20.0):
        check_contains(RDP(order=order, epsilon=rho * order), ZCDP(rho=rho))


# Sabotage: what is broken must be caught.


def test_a_region_a_little_too_small_is_caught() -> None:
    # A binary pair keeps the claim at its own divergence, and breaks every smaller one.
    p, q = 0.4, 0.15
    pair = Tradeoff(alphas=(0, q, 1), betas=(1, 1 - p, 0))
    alphas = np.array([q])
    divergences = [
        math.log(a**order * b ** (1 - order) + (1 - a) ** order * (1 - b) ** (1 - order)) / (order - 1)
        for order in (1.5, 3.0, 10.0)
        for a, b in ((p, q), (q, p))
    ]
    bounds = np.max(np.reshape(divergences, (3, 2)), axis=1)
    curve = RDP(orders=(1.5, 3.0, 10.0), epsilons=tuple(bounds))
    check_contains(curve, pair, alphas=alphas)
    for index in range(3):
        less = bounds * np.where(np.arange(3) == index, 0.999, 1.0)
        with pytest.raises(AssertionError, match="too small"):
            check_contains(dataclasses.replace(curve, epsilons=tuple(less)), pair, alphas=alphas)
    with pytest.raises(AssertionError, match="too small"):
        check_contains(GDP(mu=0.99), GDP(mu=1))
