"""The Poisson-subsampled Gaussian beside three libraries: dp-accounting, Opacus, autodp.

Each sums the binomial series at whole orders; the first two sum the erfc series of Mironov, Talwar, Zhang (2019) in
between. These sums start at 1 and so lose digits where the divergence is small: the tolerance is theirs, in E[L^alpha].
dp-accounting stops its series early, on the safe side: at order 1.1 it may be several times too high, or +inf.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.sampling.streams import stream

WHOLE = np.array([2.0, 3.0, 7.0, 20.0, 64.0, 255.0])
ORDERS = np.array([1.1, 1.25, 1.9, 2.0, 3.5, 10.9, 17.0, 40.3, 63.0, 256.0])
SETTINGS = [
    (10.0 ** rng.uniform(-4, 0), 10.0 ** rng.uniform(-0.4, 1.3))
    for rng in [stream(0, "subsampled Gaussian beside libraries")]
    for _ in range(25)
] + [(256 / 50000, 1.0), (0.01, 1.1), (256 / 50000, 8.5), (1.0, 2.0)]


def beside(q, sigma, orders, theirs):
    """Equal to 1e-9 of the divergence, or to 1e-11 of E[L^alpha], which is what a sum that starts at 1 can give."""
    ours = PoissonGaussianStep(q=q, sigma=sigma).renyi(orders)
    np.testing.assert_array_less(np.abs(ours - theirs), 1e-9 * ours + 1e-11 / (orders - 1))


@pytest.mark.parametrize(("q", "sigma"), SETTINGS)
def test_dp_accounting(q, sigma):
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant([int(order) if order.is_integer() else order for order in ORDERS.tolist()])
    accountant.compose(dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(sigma)))
    theirs, whole = np.array(accountant._rdp), np.round(ORDERS) == ORDERS
    beside(q, sigma, ORDERS[whole], theirs[whole])
    ours = PoissonGaussianStep(q=q, sigma=sigma).renyi(ORDERS)
    assert np.all(theirs >= ours * (1 - 1e-9) - 1e-11 / (ORDERS - 1))


@pytest.mark.parametrize(("q", "sigma"), SETTINGS)
def test_opacus(opacus, q, sigma):
    theirs = opacus.compute_rdp(q=q, noise_multiplier=sigma, steps=1, orders=ORDERS.tolist())
    beside(q, sigma, ORDERS, np.array(theirs))


@pytest.mark.parametrize(("q", "sigma"), SETTINGS[::4])
def test_autodp_at_whole_orders(autodp, q, sigma):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs, in logarithms of 0
        gaussian = autodp.mechanism_zoo.GaussianMechanism(sigma=sigma)
        gaussian.replace_one = False
        sampling = autodp.transformer_zoo.AmplificationBySampling(PoissonSampling=True)
        sampled = sampling(gaussian, q, improved_bound_flag=True)
        theirs = np.array([float(sampled.RenyiDP(int(order))) for order in WHOLE])
    beside(q, sigma, WHOLE, theirs)


def test_a_wrong_curve_is_caught():
    q, sigma = 0.01, 1.1
    right = PoissonGaussianStep(q=q, sigma=sigma).renyi(ORDERS)
    beside(q, sigma, ORDERS, right)
    for wrong in (right * (1 + 1e-6) + 1e-9, PoissonGaussianStep(q=q, sigma=sigma).renyi_reverse(ORDERS)):
        with pytest.raises(AssertionError):
            beside(q, sigma, ORDERS, wrong)
    assert math.isfinite(right.max())
