"""Selections and zCDP: the peers' golden values, losses that dominate every pair of ranges, brute force, quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.accountants.rdp import RdpAccountant
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.group import group
from dpverify.accounting.steps.selections import ExponentialMechanismStep, PermuteAndFlipStep, RangeLoss, ZcdpStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError

NEAR_ONE = 1 + 1e-6


def delta(step, at, count=1):
    return compose(Composition.repeat(step, count)).delta(at)


def divergence(p, q, at):
    return float(np.sum(np.maximum(np.asarray(p) - math.exp(at) * np.asarray(q), 0)))


def test_golden_values():
    """dp_accounting's curve min(xi + epsilon^2 alpha / 8, epsilon) is at .123301561 and .248301561: ours is not above.

    At order 1 both are the largest expected loss.
    """
    found = ExponentialMechanismStep(epsilon=1).renyi(np.array([NEAR_ONE, 2.0]))
    assert found[0] == pytest.approx(0.123301561, abs=1e-6)
    assert 0.2 < found[1] <= 0.248301561
    found = PermuteAndFlipStep(epsilon=1).renyi(np.array([NEAR_ONE, 2.0]))
    assert found[0] == pytest.approx(0.367879, abs=1e-6)
    assert found[1] == pytest.approx(0.619124, abs=1e-6)
    found = RdpAccountant().compose(Composition.repeat(ExponentialMechanismStep(epsilon=1), 100)).epsilon(1e-5)
    assert 30 < found.upper <= 34.91  # dp_accounting with 100 calls


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.1, 1.0, 5.0, 40.0])
def test_the_curve_is_the_largest_over_all_ranges(epsilon):
    """Two outcomes of losses s and s - epsilon, in exact sums over many s."""
    for order in (1.2, 2.0, 8.0, 100.0):
        found = float(ExponentialMechanismStep(epsilon=epsilon).renyi(np.array([order]))[0])
        worst = 0.0
        for s in np.linspace(1e-6, 1 - 1e-6, 4001) * epsilon:
            q = math.expm1(epsilon - s) / math.expm1(epsilon)
            terms = [math.log(q) + order * s, math.log1p(-q) + order * (s - epsilon)]
            worst = max(worst, float(np.logaddexp(*terms)) / (order - 1))
        assert found >= worst - 1e-12 / (order - 1) ** 0.5
        if epsilon >= 0.1:
            assert found <= worst * 1.001
        assert found <= epsilon


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_the_loss_is_the_largest_profile_over_all_ranges(epsilon):
    """At each epsilon the profile of the pair above is the largest of those of two outcomes."""
    step = ExponentialMechanismStep(epsilon=epsilon)
    for at in np.linspace(0, 0.95, 5) * epsilon:
        worst = 0.0
        for s in np.linspace(0, 1, 2001)[1:-1] * epsilon:
            q = math.expm1(epsilon - s) / math.expm1(epsilon)
            p = q * math.exp(s)
            worst = max(worst, divergence((p, 1 - p), (q, 1 - q), float(at)))
        closed = math.expm1((at - epsilon) / 2) ** 2 / -math.expm1(-epsilon)
        assert closed == pytest.approx(worst, rel=1e-4)
        assert delta(step, float(at)).upper == pytest.approx(closed, rel=1e-3, abs=1e-9)
        assert delta(step, float(at)).upper >= worst - 1e-12


def test_cells_of_the_range_loss_hold_all_mass():
    loss = RangeLoss(epsilon=1.5)
    edges = np.linspace(-2, 2, 81)
    found = loss.masses(edges)
    assert float(np.sum(found.p)) == pytest.approx(1, abs=1e-14)
    assert float(np.sum(found.q)) == pytest.approx(1, abs=1e-14)
    kept = (found.p > 0)[1:-1]
    ratios = np.log(found.p[1:-1][kept] / found.q[1:-1][kept])
    assert np.all(ratios >= edges[:-1][kept] - 1e-12) and np.all(ratios <= edges[1:][kept] + 1e-12)


def exponential(scores, epsilon):
    weights = np.exp(epsilon * scores / 2)
    return weights / weights.sum()


def permute_and_flip(scores, epsilon):
    """The largest score with exponential noise of scale 2 / epsilon, by quadrature."""
    rate, result = epsilon / 2, []
    for i, own in enumerate(scores):
        others = np.delete(scores, i)

        def density(y, own=own, others=others):
            return rate * math.exp(-rate * (y - own)) * float(np.prod(np.maximum(-np.expm1(-rate * (y - others)), 0)))

        start = max(own, float(np.max(others)))
        result.append(quad(density, start, start + 80 / rate, limit=400, epsabs=1e-13)[0])
    return np.array(result)


@pytest.mark.parametrize(
    ("mechanism", "step"),
    [(exponential, ExponentialMechanismStep), (permute_and_flip, PermuteAndFlipStep)],
)
def test_no_scores_cost_more(mechanism, step):
    """Scores that move by 1 at most, chosen at random: one release, and two of the same."""
    rng = np.random.default_rng(1)
    for epsilon in (0.5, 3.0):
        once, twice = (compose(Composition.repeat(step(epsilon=epsilon), count)) for count in (1, 2))
        allowed = [(at, once.delta(at).upper, twice.delta(at).upper) for at in (0.0, 0.3 * epsilon, 0.7 * epsilon)]
        for _ in range(8):
            scores = rng.uniform(-3, 3, size=rng.integers(2, 6))
            p, q = mechanism(scores, epsilon), mechanism(scores + rng.choice([-1, 1], size=scores.size), epsilon)
            assert float(np.sum(p)) == pytest.approx(1, abs=1e-8)
            for at, single, double in allowed:
                assert divergence(p, q, at) <= single + 1e-9
                assert divergence(np.outer(p, p), np.outer(q, q), at) <= double + 1e-9


@pytest.mark.parametrize(
    ("mechanism", "step"),
    [(exponential, ExponentialMechanismStep), (permute_and_flip, PermuteAndFlipStep)],
)
def test_the_lower_end_is_two_candidates(mechanism, step):
    p, q = mechanism(np.array([0.5, -0.5]), 1.3), mechanism(np.array([-0.5, 0.5]), 1.3)
    assert delta(step(epsilon=1.3), 0.1).lower == pytest.approx(divergence(p, q, 0.1), rel=1e-3)
    assert delta(step(epsilon=1.3), 0.1).lower <= divergence(p, q, 0.1) + 1e-9


def test_a_guarantee_of_zcdp():
    assert ZcdpStep(rho=0.5, xi=0.25).renyi(np.array([2.0, 3.5])) == pytest.approx([1.25, 2.0], rel=1e-12)
    assert np.all(ZcdpStep(rho=0).renyi(np.array([2.0])) == 0)
    found, gaussian = (
        RdpAccountant().compose(Composition.repeat(step, 2)).epsilon(1e-5)
        for step in (ZcdpStep(rho=0.5), GaussianStep(sigma=1))
    )
    assert found.upper == pytest.approx(gaussian.upper, rel=1e-9)


def test_a_group_of_zcdp_costs_the_square_of_its_size_as_gaussian_noise_does():
    found = group(size=3, step=ZcdpStep(rho=0.5)).renyi(np.array([2.0, 7.0]))
    assert found == pytest.approx(GaussianStep(sigma=1, sensitivity=3).renyi(np.array([2.0, 7.0])), rel=1e-12)
    with pytest.raises(InputError, match="zcdp without xi"):
        group(size=3, step=ZcdpStep(rho=0.5, xi=0.1))


@pytest.mark.parametrize("step", [ExponentialMechanismStep, PermuteAndFlipStep])
@pytest.mark.parametrize("epsilon", [-1, 701, math.inf, math.nan, "1"])
def test_what_is_refused(step, epsilon):
    with pytest.raises(InputError, match="epsilon"):
        step(epsilon=epsilon)
    with pytest.raises(InputError, match="rho"):
        ZcdpStep(rho=-1)
