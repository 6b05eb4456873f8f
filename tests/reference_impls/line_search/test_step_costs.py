"""What releases cost: the printed formulas written out again, and the proved bounds against exact laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.steps.guarantees import PureStep
from dpverify.laws.stopping import StoppingLaw
from reference_impls.line_search.budgeted_line_search import ORDERS
from reference_impls.line_search.step_costs import (
    amplified,
    gradient_step,
    printed_cost,
    proved_cost,
    proved_gradient_step,
    proved_search_step,
    search_step,
    total_budget,
)

FEW = (2, 3, 8, 40)


def formula_4(order: float, epsilon_1: float, epsilon_2: float) -> float:
    def moment(shift: float) -> float:
        return (order * math.exp(shift * (order - 1)) + (order - 1) * math.exp(-shift * order)) / (2 * order - 1)

    return math.log(moment(epsilon_1) * moment(2 * epsilon_2)) / (order - 1)


def lemma_4(order: int, q: float, curve: dict[int, float]) -> float:
    total = (1 - q) ** (order - 1) * (order * q - q + 1)
    total += math.comb(order, 2) * q**2 * (1 - q) ** (order - 2) * math.exp(curve[2])
    for power in range(3, order + 1):
        weight = math.comb(order, power) * q**power * (1 - q) ** (order - power)
        total += 3 * weight * math.exp((power - 1) * curve[power])
    return math.log(total) / (order - 1)


def test_a_gradient_costs_order_times_rho() -> None:
    assert printed_cost(gradient_step(0.3), FEW) == pytest.approx(0.3 * np.array(FEW))


def test_a_search_costs_formula_4_or_5() -> None:
    laplace = printed_cost(search_step("laplace", 0.8, 30), FEW)
    assert laplace == pytest.approx([formula_4(order, 0.4, 0.2) for order in FEW])
    assert printed_cost(search_step("gaussian", 0.3, 30), FEW) == pytest.approx(0.3 * np.array(FEW))


def test_amp_is_lemma_4() -> None:
    curve = {order: 0.3 * order for order in range(2, 41)}
    expected = [lemma_4(order, 0.1, curve) for order in FEW]
    assert printed_cost(amplified(gradient_step(0.3), 0.1), FEW) == pytest.approx(expected)


def test_amp_is_no_discount_at_the_papers_own_budgets() -> None:
    """Section V-D at epsilon = 0.2: the best order is 500, and there amp doubles what lines 9, 15 and 21 test."""
    share = 0.2 / 100
    for step in (gradient_step(share**2 / 2), search_step("laplace", share, 30)):
        plain, amp = (printed_cost(each, ORDERS)[-1] for each in (step, amplified(step, 0.1)))
        assert amp > 2 * plain


def test_the_total_budget_is_proposition_1() -> None:
    left = total_budget(0.2, 1e-8, FEW)
    back = left + np.log(1e8) / (np.array(FEW) - 1)
    assert back == pytest.approx(np.full(4, 0.2))


@pytest.mark.parametrize("q", [0.01, 0.5, 1.0])
def test_the_proved_gradient_is_above_the_mixture_by_quadrature(q: float) -> None:
    """(1 - q) N(0, s^2) + q N(1, s^2) against N(0, s^2), trapezoids on a fine grid: equal to 1e-9."""
    step, sigma = proved_gradient_step(0.3, q), 1 / math.sqrt(0.6)
    grid = np.linspace(-60.0, 90.0, 400_001) * sigma
    log_base = -(grid**2) / (2 * sigma**2) - math.log(sigma * math.sqrt(2 * math.pi))
    ratio = np.log((1 - q) + q * np.exp((2 * grid - 1) / (2 * sigma**2)))
    for order in (2, 3, 8):
        exact = math.log(np.trapezoid(np.exp(log_base + order * ratio), grid)) / (order - 1)
        assert proved_cost(step, (order,))[0] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("q", [0.01, 0.3, 1.0])
def test_the_proved_search_is_above_the_exact_law_on_a_sample(q: float) -> None:
    """One record with losses f_w = 1, h = 0 and the reverse: mixed with probability q, at several orders, both ways."""
    budget, size = 1.0, 12
    step = proved_search_step("laplace", budget, size, q)
    for move in (np.ones(size), -np.ones(size), np.where(np.arange(size) < 6, 1.0, 0.0)):
        for level in (-3.0, 0.0, 3.0):
            with_record, without = (
                np.exp(
                    StoppingLaw(
                        noise="laplace", threshold_scale=2.0, query_scale=4.0, levels=np.full(size, level) + extra
                    ).log_probabilities()
                )
                for extra in (move, np.zeros(size))
            )
            mixed = (1 - q) * without + q * with_record
            for order in (2, 3, 8):
                bound = proved_cost(step, (order,))[0]
                for p, other in ((mixed, without), (without, mixed)):
                    assert math.log(np.sum(p**order * other ** (1.0 - order))) / (order - 1) <= bound


@pytest.mark.parametrize("budget", [0.002, 1.0, 500.0, 5000.0])
def test_the_proved_pure_bound_is_that_of_an_outcome_at_the_limit(budget: float) -> None:
    """(1 - q) + q e^(3/4 budget) over 1, the worst that a mechanism with this pure bound can do; not below it."""
    step = proved_search_step("laplace", budget, 30, 0.25)
    exact = np.logaddexp(math.log(0.75), math.log(0.25) + 0.75 * budget)
    assert isinstance(step, PureStep)
    assert step.epsilon == pytest.approx(exact, rel=1e-11) and step.epsilon >= exact - 1e-15


def test_the_proved_search_with_gaussian_noise_is_charged_without_amplification() -> None:
    assert proved_search_step("gaussian", 0.01, 30, 0.1) == search_step("gaussian", 0.01, 30)
