"""What is subtracted, in balls, against the float versions."""

from __future__ import annotations

import flint
import pytest

from dpverify.accounting.steps.noisy_btls import laplace_curve
from dpverify.laws.balls import working_precision
from reference_impls.line_search.step_costs import amplified, gradient_step, printed_cost, search_step
from reference_impls.papers.blsgd.lemmas.printed_balls import amplified_ball, gradient_curve, laplace_ball, search_curve


@pytest.mark.parametrize(("epsilon", "order"), [(0.002, 2), (1.0, 7), (5.0, 500)])
def test_formula_four(epsilon, order):
    with working_precision():
        found = float(laplace_ball(flint.arb(epsilon), order))
    assert found == pytest.approx(float(laplace_curve(order, epsilon_1=epsilon / 2, epsilon_2=epsilon / 4)), rel=1e-8)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("order", [2, 30, 500])
def test_amp_of_both(noise, order):
    with working_precision():
        gradient = float(amplified_ball(0.1, gradient_curve(2e-6), order))
        search = float(amplified_ball(0.1, search_curve(noise, 0.002), order))
    assert gradient == pytest.approx(float(printed_cost(amplified(gradient_step(2e-6), 0.1), (order,))[0]), rel=1e-9)
    step = amplified(search_step(noise, 0.002, 30), 0.1)
    assert search == pytest.approx(float(printed_cost(step, (order,))[0]), rel=1e-8)
