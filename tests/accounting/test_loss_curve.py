"""A profile from above: against closed forms, against the accountant's own points, and a curve too low is caught."""

import math

import numpy as np
import pytest

from dpverify.accounting import loss_curve
from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.loss_curve import ProfileCurve, curve_above
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.definitions.gdp import GDP

EPSILONS = np.linspace(-3, 6, 37)
ALPHAS = np.geomspace(1e-9, 1.0, 50)


@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 1), (5.0, 100), (30.0, 100)])
@pytest.mark.parametrize("coarse", [False, True])
def test_gaussian_noise_gives_the_gaussian_curve_from_the_right_side(sigma, steps, coarse):
    exact = GDP(mu=math.sqrt(steps) / sigma)
    curve = curve_above(
        Composition.repeat(GaussianStep(sigma=sigma, sensitivity=1.0), steps), delta=1e-5, coarse=coarse
    )
    assert np.all(curve.delta(EPSILONS) >= exact.delta(EPSILONS))
    assert np.all(curve.tradeoff(ALPHAS) <= exact.tradeoff(ALPHAS))
    assert np.allclose(curve.delta(EPSILONS), exact.delta(EPSILONS), atol=3e-4)
    assert np.allclose(curve.tradeoff(ALPHAS), exact.tradeoff(ALPHAS), atol=1e-3)


def test_points_of_the_accountant_lie_on_the_curve_or_just_below():
    composition = Composition.repeat(PoissonGaussianStep(q=0.25, sigma=1.5), 16)
    curve, found = curve_above(composition, delta=1e-5), compose(composition)
    for epsilon in (0.0, 0.5, 2.0, 4.0, 7.0):
        bracket = found.delta(epsilon)
        assert bracket.lower <= float(curve.delta(epsilon)) <= bracket.upper * 1.03 + 1e-13
    assert float(curve.delta(found.epsilon(1e-5).upper)) <= 1e-5 * (1 + 1e-12)


@pytest.mark.parametrize(("rate", "sigma", "steps"), [(1e-3, 0.6, 1), (0.01, 0.7, 10)])
def test_at_small_rates_the_polygon_stays_close_between_nodes(monkeypatch, rate, sigma, steps):
    """Delta falls from the rate to a hundredth of it within 0.1; even nodes alone are out by a factor of 2.8.

    What lies between nodes does not hang on the grid: the curve is the same to all digits on a smaller one."""
    monkeypatch.setattr(loss_curve, "LARGEST_GRID", 1 << 17)
    composition = Composition.repeat(PoissonGaussianStep(q=rate, sigma=sigma), steps)
    curve, found = curve_above(composition, delta=1e-5), compose(composition)
    for epsilon in (0.003, 0.01, 0.017, 0.03, 0.1, 0.5, 2.0):
        bracket = found.delta(epsilon)
        assert bracket.lower <= float(curve.delta(epsilon)) <= bracket.upper * 1.01 + 1e-13


def test_what_costs_nothing_allows_nothing():
    curve = curve_above(Composition.repeat(PoissonGaussianStep(q=0.0, sigma=1.0), 5), delta=1e-5)
    assert np.allclose(curve.tradeoff(ALPHAS), 1 - ALPHAS)
    assert float(curve.delta(0.0)) == 0.0


def test_next_to_no_noise_allows_nearly_all_and_nothing_overflows():
    curve = curve_above(Composition.repeat(PoissonGaussianStep(q=0.5, sigma=0.03), 16), delta=1e-5, coarse=True)
    assert np.all(np.diff(curve.deltas) <= 0)
    assert 0.99 < float(curve.delta(0.0)) <= 1.0


def test_a_curve_that_is_too_low_would_be_seen():
    """Sabotage: the comparison of the first test fails on a profile shrunk by a thousandth."""
    exact = GDP(mu=1.0)
    curve = curve_above(Composition.of(GaussianStep(sigma=1.0, sensitivity=1.0)), delta=1e-5)
    low = ProfileCurve(slopes=curve.slopes, deltas=0.999 * curve.deltas)
    assert not np.all(low.delta(EPSILONS) >= exact.delta(EPSILONS))
    assert not np.all(low.tradeoff(ALPHAS) <= exact.tradeoff(ALPHAS))
