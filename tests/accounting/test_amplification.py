"""The Renyi curve of a Poisson sample: never below finite laws in either order, and equal to DP-SGD at whole orders."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.accounting.amplification import LARGEST, sampled_curve
from dpverify.accounting.amplification_printed import binomial_bound
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import RandomisedResponseStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep

ORDERS = np.array([1.003, 1.5, 2.0, 2.7, 5.0, 17.3, 64.0, 700.5, 5e4])


def exact(p, q, rate):
    """Both orders' divergences of the mixture, in floating point."""
    p, q = np.array(p, dtype=float), np.array(q, dtype=float)
    mixed = rate * p + (1 - rate) * q
    found = []
    for order in ORDERS:
        logs = [np.log(a) + (order - 1) * (np.log(a) - np.log(b)) for a, b in ((mixed, q), (q, mixed))]
        found.append([np.logaddexp.reduce(each) / (order - 1) for each in logs])
    return np.array(found)


@pytest.mark.parametrize("rate", [1e-3, 0.05, 0.4, 0.9])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5)),
        ((0.9, 0.1), (0.1, 0.9)),
        ((0.01, 0.99), (0.5, 0.5)),
        ((0.3, 0.7), (0.29, 0.71)),
    ],
)
def test_no_finite_law_costs_more(p, q, rate):
    step = DiscreteStep(p=p, q=q)
    found = sampled_curve(rate, step.renyi, ORDERS)
    for way in exact(p, q, rate).T:
        assert np.all(found >= way * (1 - 1e-9))
    assert np.all(found <= step.renyi(ORDERS) * (1 + 1e-8))


@pytest.mark.parametrize("sigma", [0.7, 2.0])
@pytest.mark.parametrize("rate", [0.01, 0.3])
def test_it_is_never_below_dp_sgd(rate, sigma):
    """Whose curve is that of the mixture from the law without the record: the binomial sum at whole orders."""
    whole, between = np.array([2.0, 3.0, 8.0, 60.0]), np.array([1.2, 2.5, 7.9])
    inner, tight = GaussianStep(sigma=sigma).renyi, PoissonGaussianStep(q=rate, sigma=sigma).renyi
    assert binomial_bound(rate, inner, whole) == pytest.approx(tight(whole), rel=1e-7)
    orders = np.concatenate([whole, between])
    found = sampled_curve(rate, inner, orders)
    assert np.all(found >= tight(orders) * (1 - 1e-9)) and np.all(found <= 3 * tight(orders))


def test_ends_and_shapes():
    curve = RandomisedResponseStep(epsilon=1).renyi
    assert np.array_equal(sampled_curve(0, curve, ORDERS), np.zeros(ORDERS.size))
    assert np.array_equal(sampled_curve(1, curve, ORDERS), curve(ORDERS))
    assert sampled_curve(0.5, curve, ORDERS.reshape(3, 3)).shape == (3, 3)
    near, far = sampled_curve(0.1, curve, np.array([LARGEST - 1.0, LARGEST + 1.0]))
    assert near <= far <= curve(np.array([LARGEST + 1.0]))[0]
    assert np.all(np.isinf(sampled_curve(0.1, lambda orders: np.full_like(orders, np.inf), np.array([2.0, 3.5]))))
