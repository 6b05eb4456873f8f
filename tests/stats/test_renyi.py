"""Binary Rényi divergence in both orders of the pair, and its bounds."""

import math

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.stats.joint import region_from_counts
from dpverify.stats.region import RectangleRegion
from dpverify.stats.renyi import ROUNDING, binary_renyi, renyi_lower

ORDERS = [0.1, 0.5, 0.999, 1.0, 1.001, 1.5, 2.0, 8.0, 64.0, 1e4]


def exact(p: float, q: float, order: float) -> float:
    """Naive twin in 400 bits."""
    ctx.prec = 400
    try:
        x, y, a = arb(p), arb(q), arb(order)
        if order == 1.0:
            return float(x * (x / y).log() + (1 - x) * ((1 - x) / (1 - y)).log())
        total = x**a * y ** (1 - a) + (1 - x) ** a * (1 - y) ** (1 - a)
        return float(total.log() / (a - 1))
    finally:
        ctx.prec = 53


def test_golden_value_beside_the_simpler_form():
    assert float(binary_renyi(0.3, 0.1, 2.0)) == pytest.approx(0.367725, abs=1e-6)
    assert 2.0 * math.log(0.3) - math.log(0.1) == pytest.approx(-0.105361, abs=1e-6)  # what the simpler form shows


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("p", "q"),
    [(0.3, 0.1), (0.1, 0.3), (0.5, 0.5 - 1e-9), (1e-12, 1e-15), (0.999999, 0.2), (1e-3, 1.001e-3), (0.6, 1e-200)],
)
def test_agrees_with_400_bits(p, q, order):
    logs = abs(math.log(p / q)) + abs(math.log((1.0 - p) / (1.0 - q)))
    weight = 1.0 - sum(math.log(x) for x in (p, 1.0 - p, q, 1.0 - q))
    assert float(binary_renyi(p, q, order)) == pytest.approx(
        exact(p, q, order), rel=1e-13, abs=ROUNDING * logs * weight
    )


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, math.inf])
def test_edges(order):
    assert float(binary_renyi(0.3, 0.3, order)) == 0.0
    assert float(binary_renyi(0.0, 0.0, order)) == 0.0
    assert float(binary_renyi(1.0, 1.0, order)) == 0.0
    assert float(binary_renyi(1.0, 0.0, order)) == math.inf
    assert float(binary_renyi(0.0, 1.0, order)) == math.inf
    assert float(binary_renyi(0.0, 0.2, order)) == pytest.approx(-math.log(0.8), rel=1e-14)
    assert float(binary_renyi(1.0, 0.2, order)) == pytest.approx(-math.log(0.2), rel=1e-14)
    support = math.inf if order >= 1.0 else order / (order - 1.0) * math.log(0.8)
    assert float(binary_renyi(0.2, 0.0, order)) == pytest.approx(support, rel=1e-14)
    assert float(binary_renyi(0.8, 1.0, order)) == pytest.approx(support, rel=1e-14)


def test_infinite_order_is_the_largest_log_ratio():
    assert float(binary_renyi(0.3, 0.1, math.inf)) == pytest.approx(math.log(3.0))
    assert float(binary_renyi(0.1, 0.3, math.inf)) == pytest.approx(math.log(9.0 / 7.0))
    assert float(binary_renyi(0.3, 0.1, 1e6)) == pytest.approx(math.log(3.0), abs=1e-5)


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
def test_the_rectangle_s_bound_is_the_divergence_at_its_corner(order):
    region = RectangleRegion(k1=400, n1=1000, k2=100, n2=1000, alpha=0.05)
    lower = renyi_lower(region, order=order)
    assert lower.forward == pytest.approx(float(binary_renyi(region.p_lower, region.q_upper, order)), rel=1e-9)
    assert lower.backward == pytest.approx(float(binary_renyi(region.q_upper, region.p_lower, order)), rel=1e-9)
    assert (lower.forward, lower.backward) == lower


def test_zero_where_the_region_reaches_the_diagonal():
    for method in ("joint", "split"):
        for counts in ((10, 100, 9, 100), (0, 10, 10, 10), (10, 10, 10, 10), (0, 10, 0, 10)):
            assert renyi_lower(region_from_counts(*counts, alpha=0.05, method=method), order=2.0) == (0.0, 0.0)


@pytest.mark.parametrize("order", [0.0, -1.0, math.nan])
def test_bad_order_is_told(order):
    with pytest.raises(InputError, match="order"):
        binary_renyi(0.1, 0.2, order)
    with pytest.raises(InputError, match="order"):
        renyi_lower(RectangleRegion(k1=1, n1=2, k2=1, n2=2, alpha=0.1), order=order)


def test_bad_probability_is_told():
    with pytest.raises(InputError, match="probability"):
        binary_renyi(1.1, 0.2, 2.0)


@given(st.floats(1e-6, 0.999), st.floats(1e-6, 0.999), st.sampled_from([*ORDERS, math.inf]), st.floats(0.0, 1.0))
def test_rises_away_from_the_diagonal_and_with_the_order(a, b, order, part):
    p, q = max(a, b), min(a, b)
    between = q + part * (p - q)
    for far, other in ((p, q), (q, p)):
        value = float(binary_renyi(far, other, order))
        tolerance = 1e-9 + 1e-9 * value
        assert 0.0 <= float(binary_renyi(far, between, order)) <= value + tolerance
        assert 0.0 <= float(binary_renyi(between, other, order)) <= value + tolerance
        assert float(binary_renyi(far, other, 1.3 * order)) >= value - tolerance
