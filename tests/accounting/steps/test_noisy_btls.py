from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpverify.accounting.steps.guarantees import tight_curve
from dpverify.accounting.steps.noisy_btls import (
    SHARES,
    NoisyBtlsGaussianStep,
    NoisyBtlsLaplaceStep,
    gaussian_curve,
    laplace_curve,
)
from dpverify.core.errors import InputError
from dpverify.laws.stopping import StoppingLaw

ORDERS = np.array([1.5, 2.0, 16.0])


def test_the_papers_split():
    """(epsilon / 2, epsilon / 4): three quarters, one and a half times, and epsilon."""
    for queries, factor in (("losses", 0.75), ("bounded", 1.5), ("arbitrary", 1.0)):
        step = NoisyBtlsLaplaceStep(epsilon_1=0.5, epsilon_2=0.25, queries=queries)
        assert step.pure_epsilon() == factor
        assert step.renyi(ORDERS) == pytest.approx(tight_curve(factor, ORDERS))


def test_the_pure_bound_is_rounded_up():
    for queries, (first, second) in SHARES.items():
        for one, two in ((0.1, 0.2), (0.1, 0.7), (1.0, 2.0**-60), (0.3, 0.6)):
            found = NoisyBtlsLaplaceStep(epsilon_1=one, epsilon_2=two, queries=queries).pure_epsilon()
            exact = first * Fraction(one) + second * Fraction(two)
            assert Fraction(math.nextafter(found, 0)) < exact <= Fraction(found)
    assert NoisyBtlsLaplaceStep(epsilon_1=1, epsilon_2=2.0**-60, queries="losses").pure_epsilon() > 1


# centre and half-width of the moves
SPREADS = {"losses": (0.5, 0.5), "bounded": (1, 1), "arbitrary": (0, 1)}


@pytest.mark.parametrize("queries", SPREADS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_no_exact_law_is_above_the_pure_bound(queries, data):
    size = data.draw(st.integers(1, 6))
    first, second = data.draw(st.floats(0.1, 3)), data.draw(st.floats(0.1, 3))
    centre, half = SPREADS[queries]
    levels = np.array(data.draw(st.lists(st.floats(-20, 20), min_size=size, max_size=size)))
    ends = np.array(data.draw(st.lists(st.floats(-1, 1), min_size=size, max_size=size)))
    step = NoisyBtlsLaplaceStep(epsilon_1=first, epsilon_2=second, queries=queries)
    p, q = (
        StoppingLaw(noise="laplace", threshold_scale=1 / first, query_scale=1 / second, levels=at)
        for at in (levels, levels + data.draw(st.sampled_from([-1, 1])) * centre + half * ends)
    )
    for pair in (p.against(q), q.against(p)):
        assert pair.epsilon(0.0).lower <= step.pure_epsilon()
        for order in ORDERS:
            assert pair.renyi(order).lower <= step.renyi(np.array([order]))[0]


@pytest.mark.parametrize(
    ("queries", "levels", "moved"),
    [
        ("losses", [80.0] * 8 + [-80.0], [81.0] * 8 + [-80.0]),
        ("bounded", [80.0] * 8 + [-80.0], [82.0] * 8 + [-80.0]),
        ("arbitrary", [80.0] * 8 + [-80.0], [81.0] * 8 + [-81.0]),
    ],
)
def test_no_smaller_pure_bound_holds(queries, levels, moved):
    """Eight levels push the threshold up, the last has to pass it from far below: all is paid."""
    step = NoisyBtlsLaplaceStep(epsilon_1=0.5, epsilon_2=0.25, queries=queries)
    p, q = (
        StoppingLaw(noise="laplace", threshold_scale=2, query_scale=4, levels=np.array(at)) for at in (levels, moved)
    )
    found = max(pair.epsilon(0.0).value for pair in (p.against(q), q.against(p)))
    assert 0.9 * step.pure_epsilon() < found <= step.pure_epsilon() * (1 + 1e-9)


def test_the_prints():
    laplace = NoisyBtlsLaplaceStep(epsilon_1=0.5, epsilon_2=0.25)
    assert laplace.printed(ORDERS) == pytest.approx(laplace_curve(ORDERS, epsilon_1=0.5, epsilon_2=0.25))
    gaussian = NoisyBtlsGaussianStep(sigma_1=2, sigma_2=3, max_it=30)
    assert gaussian.printed(ORDERS) == pytest.approx(gaussian_curve(ORDERS, sigma_1_squared=4, sigma_2_squared=9))


def test_relations_and_texts():
    assert NoisyBtlsLaplaceStep(epsilon_1=1, epsilon_2=1).relation == "any"
    losses = NoisyBtlsGaussianStep(sigma_1=2, sigma_2=3, max_it=30, queries="losses")
    assert losses.relation == "add-remove"
    assert losses.text() == 'noisy-btls-gaussian(sigma_1=2, sigma_2=3, max_it=30, queries="losses")'
    assert NoisyBtlsLaplaceStep(epsilon_1=0, epsilon_2=0).renyi(ORDERS).tolist() == [0.0] * 3


def test_extremes_stay_finite():
    for sigma in (1e-50, 1e-3, 1e5, 1e50):
        bounds = NoisyBtlsGaussianStep(sigma_1=sigma, sigma_2=sigma, max_it=10**6).renyi(np.array([1.0001, 2.0, 1e6]))
        assert np.all((bounds > 0) & np.isfinite(bounds)) and np.all(np.diff(bounds) >= 0)


@pytest.mark.parametrize(
    "numbers",
    [{"sigma_1": 0}, {"sigma_2": math.inf}, {"max_it": 0}, {"max_it": 2.5}, {"max_it": 10**7}, {"queries": "any"}],
)
def test_bad_gaussian_arguments_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        NoisyBtlsGaussianStep(**{"sigma_1": 1, "sigma_2": 1, "max_it": 3, **numbers})


@pytest.mark.parametrize(
    "numbers", [{"epsilon_1": -1}, {"epsilon_2": math.nan}, {"epsilon_1": 1.7e308, "epsilon_2": 1e308}, {"queries": 3}]
)
def test_bad_laplace_arguments_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        NoisyBtlsLaplaceStep(**{"epsilon_1": 1, "epsilon_2": 1, **numbers})


def printed(order: float, epsilon_1: float, epsilon_2: float) -> float:
    """Formula (4), letter by letter."""
    first = order / (2 * order - 1) * math.exp(epsilon_1 * (order - 1)) + (order - 1) / (2 * order - 1) * math.exp(
        -epsilon_1 * order
    )
    second = order / (2 * order - 1) * math.exp(2 * epsilon_2 * (order - 1)) + (order - 1) / (2 * order - 1) * math.exp(
        -2 * epsilon_2 * order
    )
    return math.log(first * second) / (order - 1)


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0, 64.0])
@pytest.mark.parametrize(("epsilon_1", "epsilon_2"), [(0.001, 0.0005), (0.5, 0.25), (1.0, 2.0)])
def test_formula_4_as_printed(order: float, epsilon_1: float, epsilon_2: float) -> None:
    found = laplace_curve([order], epsilon_1=epsilon_1, epsilon_2=epsilon_2)[0]
    assert found == pytest.approx(printed(order, epsilon_1, epsilon_2), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("order", [1.5, 3.0])
def test_each_factor_is_the_moment_of_a_laplace_shift(order: float) -> None:
    def moment(shift: float) -> float:
        def integrand(x: float) -> float:
            return 0.5 * math.exp(-order * abs(x) - (1 - order) * abs(x - shift))

        return sum(quad(integrand, low, high, epsabs=1e-13)[0] for low, high in ((-40, 0), (0, shift), (shift, 40)))

    found = laplace_curve([order], epsilon_1=0.7, epsilon_2=0.2)[0]
    assert found == pytest.approx(math.log(moment(0.7) * moment(0.4)) / (order - 1), rel=1e-9)


def test_formula_5_with_the_papers_split_is_order_times_rho() -> None:
    orders = np.array([1.5, 2.0, 64.0])
    assert gaussian_curve(orders, sigma_1_squared=1.5 / 0.3, sigma_2_squared=3 / 0.3) == pytest.approx(0.3 * orders)


@given(st.floats(1.0001, 1e4), st.floats(1e-6, 50))
def test_formula_4_never_exceeds_the_pure_claim(order: float, epsilon: float) -> None:
    found = laplace_curve([order], epsilon_1=epsilon / 2, epsilon_2=epsilon / 4)[0]
    assert -1e-9 <= found <= epsilon * (1 + 1e-9)
    assert math.isfinite(found)
