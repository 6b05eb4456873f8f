from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.errors import InputError


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(1.0001, 1e6))
def test_the_curve_is_that_of_the_laws_both_ways(sigma, sensitivity, order):
    step = GaussianStep(sigma=sigma, sensitivity=sensitivity)
    (pair,) = step.laws()
    for direction in (pair, pair.swap()):
        assert step.renyi(np.array([order]))[0] == pytest.approx(direction.renyi(order).value, rel=1e-13)
    assert step.mu() == pytest.approx(pair.mu().value, rel=1e-13)


@pytest.mark.parametrize("order", [1.1, 2.0, 8.0, 64.0, 512.0])
def test_the_curve_by_quadrature(order):
    """ACC-GAUSS-RDP: log of the integral of p^alpha q^(1 - alpha), over alpha - 1; the integrand's summit taken out."""
    sigma, shift = 3.0, 0.7
    log_p, log_q = norm(shift, sigma).logpdf, norm(0, sigma).logpdf
    summit = order * shift

    def exponent(x):
        return order * log_p(x) + (1 - order) * log_q(x)

    top = exponent(summit)
    total, _ = quad(lambda x: math.exp(exponent(x) - top), summit - 12 * sigma, summit + 12 * sigma, epsabs=1e-13)
    found = GaussianStep(sigma=sigma, sensitivity=shift).renyi(np.array([order]))[0]
    assert found == pytest.approx((top + math.log(total)) / (order - 1), rel=1e-10)


def test_extremes():
    orders = np.array([1.0001, 2, 1e6])
    assert np.all(GaussianStep(sigma=1e200).renyi(orders) > 0)  # never rounded to "no cost"
    assert np.array_equal(GaussianStep(sigma=1, sensitivity=0).renyi(orders), np.zeros(3))
    assert GaussianStep(sigma=1e-153).renyi(orders)[-1] == math.inf
    assert GaussianStep(sigma=2, sensitivity=3).text() == "gaussian(sigma=2, sensitivity=3)"
    assert GaussianStep(sigma=2) == GaussianStep(sigma=2.0, sensitivity=1)


@pytest.mark.parametrize(
    "numbers",
    [
        {"sigma": 0},
        {"sigma": -1},
        {"sigma": math.nan},
        {"sigma": math.inf},
        {"sigma": "1"},
        {"sigma": 1, "sensitivity": -1},
        {"sigma": 1, "sensitivity": math.inf},
        {"sigma": 1e-200},
    ],
)
def test_bad_numbers_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        GaussianStep(**numbers)
