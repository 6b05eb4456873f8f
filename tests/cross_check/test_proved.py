"""No proved end contradicts another library's bound: dp-accounting's two ends, autodp's upper one."""

from __future__ import annotations

import warnings

import pytest

from dpverify.accounting.composition_spec import read_composition
from dpverify.accounting.proved.prove import ProvedAccountant
from dpverify.core.plugins import registry
from tests.accounting import pld_adapter

ROUNDING = 1e-9  # of their transforms, which they do not bound


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(sigma=1)",
        "gaussian(sigma=5)*30",
        "laplace(scale=1)*10",
        "randomised-response(epsilon=0.5)*20",
        "poisson-gaussian(q=0.01, sigma=1)*100",
        "poisson-gaussian(q=0.3, sigma=2)*10 + laplace(scale=3)*2",
        "poisson-laplace(q=0.2, scale=0.5)*3",
        "pure(epsilon=0.1)*50 + gaussian(sigma=4)*4",
    ],
)
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_dp_accounting(text, delta):
    composition = read_composition(text, registry())
    found = ProvedAccountant().compose(composition).epsilon(delta)
    high, low = (
        pld_adapter.composed(composition, interval=1e-3, pessimistic=side).get_epsilon_for_delta(delta)
        for side in (True, False)
    )
    assert found.lower <= high * (1 + ROUNDING) and low * (1 - ROUNDING) <= found.upper


@pytest.mark.parametrize(("q", "sigma", "count"), [(0.01, 1.0, 100), (0.02, 1.5, 1000), (1.0, 4.0, 10)])
def test_autodp(autodp, q, sigma, count):
    from autodp.mechanism_zoo import GaussianMechanism
    from autodp.transformer_zoo import AmplificationBySampling, Composition

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = GaussianMechanism(sigma=sigma)
        if q < 1:
            one.neighboring = "add_remove"
            one = AmplificationBySampling(PoissonSampling=True)(one, q, improved_bound_flag=True)
        theirs = Composition()([one], [count]).get_approxDP(1e-5)
    composition = read_composition(f"poisson-gaussian(q={q}, sigma={sigma})*{count}", registry())
    assert ProvedAccountant().compose(composition).epsilon(1e-5).lower <= theirs
