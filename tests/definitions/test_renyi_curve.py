import math

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import expit

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.definitions.renyi_curve import LEAST, ROUNDING, boundary

ALPHAS = expit(np.linspace(-120, 30, 6001))
CLAIMS = [
    RDP(order=1.05, epsilon=0.3),
    RDP(order=126, epsilon=0.2),
    RDP(orders=(1.1, 3, 30), epsilons=(0.01, 0.02, 3)),
    ZCDP(rho=0.05),
    ZCDP(rho=10),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text())
def test_profile_is_the_support_function_from_above(claim: RDP | ZCDP) -> None:
    f = claim.tradeoff(ALPHAS)
    epsilons = np.array([-1.0, 0.0, 1e-4, 0.05, 0.4, 1.0, 4.0, 12.0, 25.0])
    found = claim.delta(epsilons)
    brute = np.max(1 - f - np.exp(epsilons)[:, None] * ALPHAS, axis=1)
    assert np.all(found >= brute - 1e-12)
    assert np.all(found <= np.maximum(brute, 0) * (1 + 5e-3) + 1e-11)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text())
def test_profile_does_not_depend_on_its_company(claim: RDP | ZCDP) -> None:
    epsilons = np.linspace(0, 6, 300)
    together = claim.delta(epsilons)
    for index in (0, 40, 299):
        assert float(claim.delta(epsilons[index])) == pytest.approx(together[index], rel=1e-6, abs=1e-11)


def test_far_out_it_stays_finite_and_on_the_sound_side() -> None:
    far = RDP(order=1.01, epsilon=1).delta([50.0, 500.0, 1400.0, 1e5])
    assert np.all(np.diff(far) <= 0)
    assert np.all(far > 0)
    assert np.all(ZCDP(rho=0.5).delta([100.0, 1e5]) < 1e-250)


def test_rates_are_checked() -> None:
    with pytest.raises(InputError, match=r"-0\.5"):
        RDP(order=2, epsilon=1).tradeoff(-0.5)


def _divergence(p: arb, q: arb, rest: arb, other: arb, order: float) -> arb:
    if order == 1:
        return p * (p / q).log() + rest * (rest / other).log()
    a = arb(order)
    return (p**a * q ** (1 - a) + rest**a * other ** (1 - a)).log() / (a - 1)


def _least_beta(q: float, order: float, bound: float) -> float:
    """Smallest 1 - p that keeps both divergences, by bisection of its logarithm in ball arithmetic."""
    before, ctx.prec = ctx.prec, 300
    try:
        low, high = arb(-800), (1 - arb(q)).log()
        for _ in range(120):
            middle = ((low + high) / 2).mid()
            beta = middle.exp()
            there = _divergence(1 - beta, arb(q), beta, 1 - arb(q), order)
            back = _divergence(arb(q), 1 - beta, 1 - arb(q), beta, order)
            low, high = (middle, high) if there > bound or back > bound else (low, middle)
        return float(high.exp())
    finally:
        ctx.prec = before


CASES = [
    (order, bound, q)
    for order, bound in [(1.0001, 0.5), (1.1, 1e-7), (2.0, 0.5), (2.0, 1e-10), (5.0, 30.0), (40.0, 0.01), (3000.0, 8.0)]
    for q in (1e-40, 1e-9, 0.003, 0.3, 0.5, 0.9, 1 - 1e-9)
]


@pytest.mark.parametrize(("order", "bound", "q"), CASES)
def test_never_smaller_and_hardly_larger_than_the_definition(order: float, bound: float, q: float) -> None:
    exact = _least_beta(q, order, bound)
    found = float(RDP(order=order, epsilon=bound).tradeoff(q))
    assert found <= exact * (1 + 1e-15)
    # Below the fixed point the widening is relative to p, above it to 1 - p.
    assert exact - found <= 2 * ROUNDING * min(1 - exact, 1.0) + 1e-16
    if q > 0.5:
        assert exact - found <= 2 * ROUNDING * exact


class _Kl:
    """A bound on the KL divergence alone."""

    turns = 1

    def __init__(self, bound: float) -> None:
        self.limit = bound

    def candidates(self, rates: Float, turn: int, chosen: Float) -> Float:
        return np.zeros((1, 1))

    def between(self, candidates: Float, gains: Float) -> None:
        return None

    def bound(self, s: Float) -> Float:
        return np.full_like(s, self.limit)


@pytest.mark.parametrize("bound", [1e-6, 0.3, 4.0])
def test_kl_limit(bound: float) -> None:
    q = np.array([1e-12, 0.01, 0.4, 0.6, 0.999])
    edge = boundary(q, _Kl(bound))
    beta = (1 - q) * np.exp(edge.rest)
    exact = np.array([_least_beta(x, 1.0, bound) for x in q])
    assert np.all(beta <= exact * (1 + 1e-15))
    assert np.allclose(beta, exact, rtol=1e-9, atol=1e-10)
    assert np.allclose(edge.ratio, np.log((1 - beta) / q), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("claim", [RDP(order=2, epsilon=0.5), RDP(orders=(1.2, 3, math.inf), epsilons=(0.1, 0.4, 1))])
def test_slopes_are_those_of_the_curve(claim: RDP) -> None:
    widest, orders = claim._parts()
    assert orders is not None
    q = np.array([1e-4, 1e-3, 0.1, 0.2, 0.45, 0.7, 0.95])
    step = 1e-5 * q * (1 - q)
    edge = boundary(q, orders, widest=widest)
    numeric = (claim.tradeoff(q - step) - claim.tradeoff(q + step)) / (2 * step)
    assert np.allclose(np.exp(edge.slope), numeric, rtol=1e-4)


def test_forward_binds_exactly_up_to_the_fixed_point() -> None:
    """The fact that lets only one of the two divergences be solved: checked at random pairs and orders."""
    rng = np.random.default_rng(0)
    q, p = np.sort(rng.uniform(size=(2, 20_000)), axis=0)
    order = 1 + 10 ** rng.uniform(-3, 1.5, q.size)

    def moment(x: Float, y: Float) -> Float:
        return np.asarray(x**order * y ** (1 - order) + (1 - x) ** order * (1 - y) ** (1 - order))

    gap = moment(p, q) - moment(q, p)
    clear = np.abs(gap) > 1e-9
    assert np.array_equal(gap[clear] > 0, (p + q < 1)[clear])


def test_the_smallest_rates() -> None:
    claim = RDP(order=2, epsilon=0.5)
    assert float(claim.tradeoff(0.0)) == 1
    assert float(claim.tradeoff(5e-324)) == float(claim.tradeoff(LEAST)) <= 1
