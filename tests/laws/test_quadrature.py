from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import cauchy, norm, t

from dpverify.core.errors import UnsupportedError
from dpverify.laws.quadrature import integrate, panel_edges

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
