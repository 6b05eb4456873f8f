import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from dpverify.core.errors import InputError
from dpverify.definitions.rdp import ZCDP


def _allowed(q: float, rho: float) -> float:
    """The naive twin: smallest p over orders, each by root finding, the best order by a search on a fine grid."""

    def largest(log_s: float) -> float:
        order = 1 + math.exp(log_s)
        target = rho * order * (order - 1)

        def excess(p: float) -> float:
            logs = np.log([p, q, 1 - p, 1 - q])
            there = np.logaddexp(*(order * logs[0::2] + (1 - order) * logs[1::2]))
            back = np.logaddexp(*(order * logs[1::2] + (1 - order) * logs[0::2]))
            return float(max(there, back)) - target

        return 1.0 if excess(1 - 1e-12) <= 0 else float(brentq(excess, q, 1 - 1e-12, xtol=1e-15))

    grid = np.linspace(math.log(1e-5), math.log(300), 80)
    k = int(np.argmin([largest(x) for x in grid]))
    found = minimize_scalar(largest, bounds=(grid[max(k - 1, 0)], grid[min(k + 1, 79)]), method="bounded")
    return float(found.fun)


@pytest.mark.parametrize("rho", [0.005, 0.5, 3.0])
def test_curve_against_the_naive_twin(rho: float) -> None:
    q = np.array([1e-4, 0.02, 0.2, 0.45, 0.7])
    twin = 1 - np.array([_allowed(x, rho) for x in q])
    found = ZCDP(rho=rho).tradeoff(q)
    # The twin leaves out orders below 1.00001, which bind near rho = -log q; so it may lie below, by little.
    assert np.all(found >= twin - 1e-8)
    assert np.all(found <= twin + 1e-5)
    assert np.median(np.abs(found - twin)) < 1e-8


@pytest.mark.parametrize("rho", [0.005, 0.5, 3.0])
def test_the_curve_does_not_depend_on_its_company(rho: float) -> None:
    q = np.linspace(0.001, 0.999, 40)
    together = ZCDP(rho=rho).tradeoff(q)
    alone = [float(ZCDP(rho=rho).tradeoff(x)) for x in q]
    assert np.allclose(together, alone, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("rho", [0.005, 0.5, 3.0])
def test_kl_binds_where_everything_is_allowed_but_for_the_way_back(rho: float) -> None:
    # At q = 1/2 beyond the fixed point only D(q|p) binds; KL of it is a constraint that the curve may not break.
    beta = float(ZCDP(rho=rho).tradeoff(0.5))
    kl = 0.5 * math.log(0.5 / (1 - beta)) + 0.5 * math.log(0.5 / beta)
    assert kl <= rho * (1 + 1e-9)


@pytest.mark.parametrize("rho", [0.005, 0.5, 5.0])
def test_profile_is_below_the_textbook_conversions(rho: float) -> None:
    for epsilon in (rho + 2 * math.sqrt(rho), rho + 5 * math.sqrt(rho)):
        found = float(ZCDP(rho=rho).delta(epsilon))
        # Bun, Steinke 2016, Proposition 1.3; the sharper one is Canonne, Kamath, Steinke 2020, Corollary 13.
        orders = 1 + np.exp(np.linspace(-6, 6, 2000))
        logs = (orders - 1) * (orders * rho - epsilon) + (orders - 1) * np.log1p(-1 / orders) - np.log(orders)
        sharp = math.exp(np.min(logs))
        assert 0 < found <= sharp * (1 + 1e-6) < math.exp(-((epsilon - rho) ** 2) / (4 * rho))


def test_extremes() -> None:
    assert np.array_equal(ZCDP(rho=0).tradeoff([0, 0.3, 1]), [1, 0.7, 0])
    assert float(ZCDP(rho=0).delta(0.0)) == 0
    tiny, huge = ZCDP(rho=1e-12), ZCDP(rho=1e4)
    # Total variation sqrt(rho / 2) to first order.
    assert float(tiny.delta(0.0)) == pytest.approx(math.sqrt(1e-12 / 2), rel=1e-3)
    assert float(huge.delta(0.0)) == pytest.approx(1)
    assert float(huge.tradeoff(0.5)) < 1e-300


def test_measures_start_with_order_two() -> None:
    headline, *rest = ZCDP(rho=0.5).measures()
    assert (headline.kind, headline.argument, headline.claimed) == ("renyi", 2.0, 1.0)
    assert all(item.claimed == 0.5 * item.argument for item in rest)


@pytest.mark.parametrize("rho", [-1, math.nan, math.inf])
def test_refused(rho: float) -> None:
    with pytest.raises(InputError, match="ZCDP: rho"):
        ZCDP(rho=rho)
