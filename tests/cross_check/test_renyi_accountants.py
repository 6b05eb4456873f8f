"""Curves, conversions and whole accountants beside three libraries: dp-accounting, Opacus, autodp.

Their accountants take the best of a list of orders, ours any order: ours is at most theirs, and nearly theirs once
their list is fine. Settings come from a named stream.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from dpverify.accounting.accountants.gdp import GdpAccountant
from dpverify.accounting.accountants.rdp import RdpAccountant
from dpverify.accounting.order_search import tight_epsilon, tight_log_delta
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import PureStep, RandomisedResponseStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.sampling.streams import stream

ORDERS = np.array([1.05, 1.5, 2.0, 3.7, 16.0, 64.0, 200.0])
FINE = 1 + 2.0 ** np.linspace(-6, 9, 1200)
rng = stream(0, "Renyi accountants beside libraries")
CURVES = [(10.0 ** rng.uniform(-2, 1.5), 10.0 ** rng.uniform(-12, -2)) for _ in range(30)]
LEVELS = [10.0 ** rng.uniform(-1.5, 1) for _ in range(20)]
RUNS = [
    (
        10.0 ** rng.uniform(-3, -0.3),
        10.0 ** rng.uniform(-0.1, 1),
        int(10 ** rng.uniform(0, 4)),
        10.0 ** rng.uniform(-9, -3),
    )
    for _ in range(12)
] + [(256 / 50000, 1.0, 11700, 1e-5), (0.01, 1.1, 10000, 1e-5), (256 / 50000, 8.5, 11700, 1e-5)]


@pytest.mark.parametrize(("rho", "delta"), CURVES)
def test_the_tight_conversion_of_dp_accounting_and_opacus(rho, delta, opacus):
    from dp_accounting.rdp.rdp_privacy_accountant import compute_delta, compute_epsilon

    for order in ORDERS:
        bound = rho * order
        ours = float(tight_epsilon(np.array([order]), np.array([bound]), delta)[0])
        assert ours == pytest.approx(compute_epsilon([order], [bound], delta)[0], rel=1e-10, abs=1e-10)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the only order is the largest one
            theirs, _ = opacus.get_privacy_spent(orders=[order], rdp=[bound], delta=delta)
        assert ours == pytest.approx(max(theirs, 0.0), rel=1e-10, abs=1e-10)
        for epsilon in (bound + 0.5, bound + 3):
            log_delta = float(tight_log_delta(np.array([order]), np.array([bound]), epsilon)[0])
            theirs = compute_delta([order], [bound], epsilon)[0]
            # That library also caps delta by the total variation, and at 1.
            assert min(math.exp(min(log_delta, 0.0)), math.sqrt(-math.expm1(-bound))) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_the_curves_of_autodp(level, autodp):
    """Its sums start at 1: 1e-13 of E[(p/q)^s] is what they can give."""
    bank = autodp.rdp_bank
    room = 1e-13 / (ORDERS - 1)
    for ours, theirs in (
        (GaussianStep(sigma=level), lambda order: bank.RDP_gaussian({"sigma": level}, order)),
        (LaplaceStep(scale=level), lambda order: bank.RDP_laplace({"b": level}, order)),
        (
            RandomisedResponseStep(epsilon=level),
            lambda order: bank.RDP_randresponse({"p": 1 / (1 + math.exp(-level))}, order),
        ),
        (PureStep(epsilon=level), lambda order: bank.RDP_pureDP({"eps": level}, order)),
    ):
        values = np.array([float(theirs(order)) for order in ORDERS])
        np.testing.assert_allclose(ours.renyi(ORDERS), values, rtol=1e-11, atol=float(room.max()), err_msg=ours.text())


@pytest.mark.parametrize("level", LEVELS)
def test_the_laplace_curve_of_dp_accounting(level):
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant as Theirs

    accountant = Theirs(ORDERS.tolist())
    accountant.compose(dp_accounting.LaplaceDpEvent(level))
    np.testing.assert_allclose(LaplaceStep(scale=level).renyi(ORDERS), accountant._rdp, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("q", "sigma", "count", "delta"), RUNS)
def test_the_whole_accountant_beside_opacus(q, sigma, count, delta, opacus):
    cost = RdpAccountant().compose(Composition.repeat(PoissonGaussianStep(q=q, sigma=sigma), count))
    ours = cost.epsilon(delta).upper
    usual = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 512))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # orders at the end of the list; logarithms of 0 on the way
        rdp = opacus.compute_rdp(q=q, noise_multiplier=sigma, steps=count, orders=usual)
        theirs, _ = opacus.get_privacy_spent(orders=usual, rdp=rdp, delta=delta)
    assert ours <= theirs * (1 + 1e-6)
    bounds = cost.curve(np.array(usual))
    listed = float(np.min(tight_epsilon(np.array(usual), bounds, delta)))
    assert max(listed, ours) == pytest.approx(max(theirs, ours), rel=1e-5)


@pytest.mark.parametrize(("q", "sigma", "count", "delta"), RUNS[:6])
def test_a_fine_list_of_orders_in_dp_accounting_ends_where_the_search_does(q, sigma, count, delta):
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

    cost = RdpAccountant().compose(Composition.repeat(GaussianStep(sigma=sigma / q), count))
    ours = cost.epsilon(delta).upper
    theirs, _ = compute_epsilon(FINE.tolist(), cost.curve(FINE).tolist(), delta)
    assert ours <= theirs * (1 + 1e-9)
    assert ours == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize(("_", "sigma", "count", "delta"), RUNS)
def test_gaussians_exactly_as_dp_accounting_has_them(_, sigma, count, delta):
    import dp_accounting

    mu = math.sqrt(count) / sigma
    ours = GdpAccountant().compose(Composition.repeat(GaussianStep(sigma=sigma), count)).epsilon(delta)
    theirs = dp_accounting.get_epsilon_gaussian(1 / mu, delta)
    assert ours.upper == pytest.approx(theirs, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("run", "usual"), [(RUNS[-3], 3.418229), (RUNS[-2], 5.632), (RUNS[-1], 0.237703)], ids=["a", "b", "c"]
)
def test_values_of_the_usual_orders_are_reached_and_slightly_undercut(run, usual):
    """Printed by libraries that take the best of a list of orders; any order gives up to 1e-4 less."""
    q, sigma, count, delta = run
    ours = (
        RdpAccountant().compose(Composition.repeat(PoissonGaussianStep(q=q, sigma=sigma), count)).epsilon(delta).upper
    )
    assert usual * (1 - 1e-4) <= ours <= usual
