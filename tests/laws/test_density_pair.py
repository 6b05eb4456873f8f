from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import cauchy, laplace, logistic, norm, t

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import LawPair
from dpverify.laws.density import DensityLaw, GaussianLaw, LaplaceLaw
from dpverify.laws.density_pair import DensityPair, integrate, panel_edges
from dpverify.laws.product import MixtureLaw

ONE = np.ones(1)


def numeric(family, shift: float):
    return family(locations=0 * ONE, scales=ONE).flat().against(family(locations=shift * ONE, scales=ONE).flat())


def closed(family, shift: float):
    return family(locations=0 * ONE, scales=ONE).against(family(locations=shift * ONE, scales=ONE))


def uniform(low: float, high: float) -> DensityLaw:
    return DensityLaw(log_density=lambda x: np.full(x.shape, -math.log(high - low)), support=(low, high))


CASES = [
    ("delta", -1.0),
    ("delta", 0.0),
    ("delta", 0.4),
    ("delta", 1.7),
    ("epsilon", 1e-6),
    ("epsilon", 0.05),
    ("renyi", 1.0),
    ("renyi", 1.001),
    ("renyi", 2.0),
    ("renyi", 33.3),
    ("renyi", 256.0),
]


@pytest.mark.parametrize("family", [LaplaceLaw, GaussianLaw])
@pytest.mark.parametrize("shift", [0.01, 1.0, 5.0])
@pytest.mark.parametrize(("kind", "argument"), CASES)
def test_quadrature_agrees_with_the_closed_forms(family, shift, kind, argument):
    found, truth = (getattr(make(family, shift), kind)(argument) for make in (numeric, closed))
    assert not found.proved
    assert abs(found.value - truth.value) <= found.error + truth.error
    assert found.error < 1e-8 * max(1.0, truth.value)


@pytest.mark.parametrize("family", [LaplaceLaw, GaussianLaw])
def test_the_curve_is_never_below_the_true_one_and_close(family):
    grid = np.linspace(0, 1, 41)
    found, truth = numeric(family, 1.0).tradeoff(grid), closed(family, 1.0).tradeoff(grid)
    assert isinstance(numeric(family, 1.0), LawPair)
    assert np.all(found >= truth - 1e-13)
    assert np.all(found <= truth + 1e-3)


def test_laplace_noise_has_its_pure_epsilon_and_gaussians_are_not_guessed():
    found = numeric(LaplaceLaw, 1.5).epsilon(0.0)
    assert abs(found.value - 1.5) <= found.error
    assert numeric(LaplaceLaw, 1.5).renyi(math.inf) == found
    with pytest.raises(UnsupportedError, match="largest log-ratio"):
        numeric(GaussianLaw, 1.0).epsilon(0.0)


def test_the_largest_ratio_of_laplace_mixtures_agrees_with_a_fine_grid():
    def mixed(*places):
        laws = tuple(LaplaceLaw(locations=place * ONE, scales=ONE) for place in places)
        return MixtureLaw(laws=laws, weights=(0.2, 0.3, 0.5)).flat()

    p, q = mixed(-1.0, 0.5, 2.0), mixed(-0.4, 0.9, 1.1)
    grid = np.linspace(-20, 20, 400_001)
    truth = float(np.max(p.log_at(grid) - q.log_at(grid)))
    found = p.against(q).epsilon(0.0)
    assert truth <= found.upper
    assert found.value == pytest.approx(truth, abs=1e-4)


def test_uniform_laws_with_different_supports():
    pair = uniform(0.0, 1.0).against(uniform(0.25, 1.25))
    assert isinstance(pair, DensityPair)
    assert abs(pair.delta(3.0).value - 0.25) <= pair.delta(3.0).error
    assert pair.epsilon(0.0).value == math.inf
    assert pair.epsilon(0.2).value == math.inf
    assert pair.epsilon(0.3).value == 0.0
    assert pair.renyi(2.0).value == math.inf
    assert pair.renyi(1.0).value == math.inf
    inner = uniform(0.25, 0.75).against(uniform(0.0, 1.0))
    assert abs(inner.renyi(7.0).value - math.log(2)) <= inner.renyi(7.0).error + 1e-15
    assert pair.tradeoff(0.0) == pytest.approx(0.75, abs=1e-12)


def test_gaussians_of_different_scales_have_the_textbook_renyi():
    s, r, order = 1.0, 1.3, 2.0
    pair = GaussianLaw(locations=0 * ONE, scales=s * ONE).against(GaussianLaw(locations=0.5 * ONE, scales=r * ONE))
    star = order * r**2 + (1 - order) * s**2
    truth = math.log(r / s) + math.log(r**2 / star) / (2 * (order - 1)) + order * 0.25 / (2 * star)
    found = pair.renyi(order)
    assert abs(found.value - truth) <= found.error + 1e-15
    with pytest.raises(UnsupportedError, match=r"no end in sight|not finite"):
        pair.swap().renyi(30.0)


def test_a_tail_that_does_not_die_out_is_refused_not_cut_off():
    p, q = (DensityLaw(log_density=t(df=df).logpdf, kinks=(0.0,)) for df in (1, 3))
    with pytest.raises(UnsupportedError, match="no end in sight"):
        p.against(q).renyi(2.0)
    assert 0 < q.against(p).renyi(2.0).value < 1


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("law", "shift"), [(logistic, 0.8), (t(df=3), 1.1)])
def test_delta_of_other_noise_agrees_with_its_distribution_function(law, shift, epsilon):
    p = DensityLaw(log_density=law.logpdf, kinks=(0.0,))
    q = DensityLaw(log_density=lambda x: law.logpdf(x - shift), kinks=(shift,))
    found = p.against(q).delta(epsilon)

    def excess(x):
        return law.logpdf(x) - law.logpdf(x - shift) - epsilon

    grid = np.linspace(-60, 60, 2400)
    signs = np.sign(excess(grid))
    cuts = [brentq(excess, grid[i], grid[i + 1], xtol=1e-14) for i in np.flatnonzero(np.diff(signs))]
    ends = [-math.inf, *cuts, math.inf]
    masses = [
        law.cdf(b) - law.cdf(a) - math.exp(epsilon) * (law.cdf(b - shift) - law.cdf(a - shift))
        for a, b in itertools.pairwise(ends)
    ]
    assert abs(found.value - sum(mass for mass in masses if mass > 0)) <= found.error + 1e-14


def test_the_profile_falls_and_swapping_twice_changes_nothing():
    pair = DensityLaw(log_density=logistic.logpdf).against(LaplaceLaw(locations=0 * ONE, scales=ONE).flat())
    found = [pair.delta(e).value for e in np.linspace(-1, 1, 9)]
    assert np.all(np.diff(found) <= 1e-13)
    assert pair.swap().swap().delta(0.1) == pair.delta(0.1)


def test_a_pair_with_the_wrong_direction_is_caught():
    def check(pair):
        p, q = laplace(0, 1), norm(0, 1)
        truth = quad(lambda x: max(p.pdf(x) - math.exp(0.5) * q.pdf(x), 0), -40, 40, points=[-2, 0, 2], limit=300)[0]
        assert abs(pair.delta(0.5).value - truth) < 1e-8

    pair = LaplaceLaw(locations=0 * ONE, scales=ONE).against(GaussianLaw(locations=0 * ONE, scales=ONE))
    check(pair)
    with pytest.raises(AssertionError):
        check(pair.swap())


def test_nothing_is_proved_by_quadrature_and_bad_arguments_are_refused():
    pair = numeric(GaussianLaw, 1.0)
    assert pair.prove(Measure(kind="delta", argument=1.0, claimed=1.0)) is None
    for kind, argument in (("delta", math.nan), ("epsilon", 2.0), ("renyi", 0.9)):
        with pytest.raises(InputError):
            getattr(pair, kind)(argument)


LINE = (-math.inf, math.inf)


@pytest.mark.parametrize(("centre", "scale"), [(0.0, 1.0), (1e4, 0.01), (-3.0, 50.0)])
def test_gaussians_integrate_to_one(centre, scale):
    value, error = integrate(lambda x: norm.pdf(x, centre, scale), panel_edges((centre,), scale, LINE))
    assert abs(value - 1) <= error + 1e-15
    assert error < 1e-13


@pytest.mark.parametrize("law", [cauchy, t(df=2.5)])
def test_heavy_tails_are_followed(law):
    value, error = integrate(law.pdf, panel_edges((0.0,), 1.0, LINE))
    assert abs(value - 1) <= error + 1e-14


@pytest.mark.parametrize("kink", [0.0, 0.3, math.pi])
def test_a_kink_that_nobody_named_is_cornered(kink):
    value, error = integrate(lambda x: np.exp(-np.abs(x - kink)) / 2, panel_edges((0.0,), 1.0, LINE))
    assert abs(value - 1) <= error + 1e-15
    assert error < 1e-12


def test_agrees_with_scipy_on_a_product_with_a_corner():
    def function(x):
        return np.maximum(norm.pdf(x) - 1.3 * norm.pdf(x - 1), 0)

    value, error = integrate(function, panel_edges((0.0, 1.0), 1.0, LINE))
    corner = 0.5 - math.log(1.3)
    truth, room = quad(lambda x: float(function(x)), -40, 40, points=[0, corner], limit=200, epsabs=1e-14)
    assert abs(value - truth) <= error + room


def test_the_support_cuts_the_panels():
    edges = panel_edges((), 1.0, (0.0, 2.0))
    assert (edges[0], edges[-1]) == (0.0, 2.0)
    assert integrate(np.ones_like, edges)[0] == pytest.approx(2.0, abs=1e-14)


def test_a_jump_leaves_a_larger_error_but_a_true_one():
    value, error = integrate(lambda x: (x > math.sqrt(2)).astype(float), panel_edges((0.0,), 1.0, (0.0, 3.0)))
    assert abs(value - (3 - math.sqrt(2))) <= error + 1e-15


def test_giving_up_is_admitted_in_the_error():
    value, error = integrate(lambda x: np.cos(1e7 * x), panel_edges((), 1.0, (0.0, 1.0)))
    assert abs(value - math.sin(1e7) / 1e7) <= error
    assert error > 1e-6


def test_an_infinite_integrand_is_refused():
    with pytest.raises(UnsupportedError, match="not finite"):
        integrate(lambda x: np.full(x.shape, np.inf), panel_edges((0.0,), 1.0, (0.0, 1.0)))
