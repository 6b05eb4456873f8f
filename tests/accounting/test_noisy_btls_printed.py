"""The claimed Renyi curves, against the formulas as printed and integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from dpverify.accounting.noisy_btls_printed import gaussian_curve, laplace_curve


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
