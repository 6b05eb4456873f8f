import math

import numpy as np
import pytest
from flint import arb, ctx
from scipy.optimize import brentq
from scipy.stats import norm

from dpverify.core.errors import InputError
from dpverify.definitions.gdp import GDP


@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 1.993091), (1, 4.377178), (2, 9.997256)])
def test_golden_epsilon_at_1e_5(mu: float, epsilon: float) -> None:
    claim = GDP(mu=mu)
    assert brentq(lambda level: float(claim.delta(level)) - 1e-5, 0, 30, xtol=1e-12) == pytest.approx(epsilon, abs=5e-7)


def test_curve_is_that_of_two_gaussians() -> None:
    alpha = np.array([1e-12, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-9])
    for mu in (0.1, 1.0, 7.0):
        assert np.allclose(GDP(mu=mu).tradeoff(alpha), norm.cdf(norm.isf(alpha) - mu), rtol=1e-12)


def _ball_delta(mu: float, epsilon: float) -> float:
    """The textbook formula in ball arithmetic, where its cancellation does no harm."""
    before, ctx.prec = ctx.prec, 4000
    try:
        m, e = arb(mu), arb(epsilon)

        def cdf(x: arb) -> arb:
            return (-x / arb(2).sqrt()).erfc() / 2

        return float(cdf(-e / m + m / 2) - e.exp() * cdf(-e / m - m / 2))
    finally:
        ctx.prec = before


@pytest.mark.parametrize("mu", [1e-8, 1e-3, 0.1, 0.499, 0.5, 1.0, 3.0, 10.0, 50.0])
def test_profile_keeps_its_digits(mu: float) -> None:
    for epsilon in (0.0, 1e-9, 1e-3, 0.1, 1.0, 5.0, 30.0, 100.0, 600.0, 1400.0):
        exact = _ball_delta(mu, epsilon)
        if exact > 1e-300:
            assert float(GDP(mu=mu).delta(epsilon)) == pytest.approx(exact, rel=2e-13, abs=0)
    for epsilon in (-50.0, -3.0, -0.1):
        assert float(GDP(mu=mu).delta(epsilon)) == pytest.approx(_ball_delta(mu, epsilon), abs=1e-14)


def test_the_two_formulas_meet() -> None:
    below, above = GDP(mu=0.5 - 1e-13), GDP(mu=0.5)
    epsilons = np.linspace(0, 15, 50)
    assert np.allclose(below.delta(epsilons), above.delta(epsilons), rtol=1e-9, atol=0)


def test_no_mu_is_guessing() -> None:
    assert np.array_equal(GDP(mu=0).tradeoff([0, 0.3, 1]), [1, 0.7, 0])
    assert np.array_equal(GDP(mu=0).delta([0, 1]), [0, 0])
    assert float(GDP(mu=0).delta(-1.0)) == pytest.approx(1 - math.exp(-1))
    assert np.all(GDP(mu=1e-320).delta([0.0, 1.0]) <= 1e-300)


def test_measures() -> None:
    headline, *rest = GDP(mu=1).measures()
    assert (headline.kind, headline.claimed) == ("mu", 1.0)
    assert [item.argument for item in rest] == [0.0, 0.5, 1.5, 2.5, 3.5]
    assert all(item.claimed == pytest.approx(_ball_delta(1, item.argument)) for item in rest)


@pytest.mark.parametrize("mu", [-1, math.nan, math.inf])
def test_refused(mu: float) -> None:
    with pytest.raises(InputError, match="GDP: mu"):
        GDP(mu=mu)
