from __future__ import annotations

import math

import pytest

from dpverify.accounting.adpsgd import AdpSgdBudget
from dpverify.core.errors import InputError

PAPER = {"delta": 1e-5, "n": 50000, "steps": 11700}


@pytest.mark.parametrize(
    ("epsilon_bar", "multiplier"), [(0.8, 8.50), (1.2, 5.66), (1.6, 4.25), (3.2, 2.12), (6.4, 1.06)]
)
def test_the_papers_noise_multipliers(epsilon_bar, multiplier):
    """ADPSGD footnote 3: 256 sigma / C_G at epsilon = 16 epsilon_bar."""
    budget = AdpSgdBudget(epsilon=16 * epsilon_bar, gradient_bound=2.5, **PAPER)
    assert budget.noise_multiplier(256) == pytest.approx(multiplier, abs=0.005)


def test_equation_6_letter_by_letter():
    alphas = [0.5, 2.0, 3.0]
    budget = AdpSgdBudget(epsilon=0.7, delta=1e-3, n=40, steps=3, gradient_bound=1.5)
    b = math.log(16 * 3 / (40 * 1e-3)) * math.log(1.25 / 1e-3)
    squared = (16 * 1.5) ** 2 * b / (40**2 * 0.7**2) * sum(1 / alpha**2 for alpha in alphas)
    assert budget.b_delta() == pytest.approx(b)
    assert budget.sigma(alphas) ** 2 == pytest.approx(squared)
    assert budget.sigma() == pytest.approx(budget.sigma([1.0] * 3))
    assert budget.sigma(iter([2.0] * 3)) == pytest.approx(budget.sigma() / 2)


@pytest.mark.parametrize(
    "numbers",
    [
        {"epsilon": 0},
        {"epsilon": math.inf},
        {"delta": 0},
        {"delta": 1},
        {"n": 0},
        {"n": 2.5},
        {"steps": True},
        {"gradient_bound": -1},
        {"n": 10**12, "delta": 0.5},
    ],
)
def test_bad_numbers_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        AdpSgdBudget(**{"epsilon": 1, **PAPER, **numbers})


def test_alphas_are_checked():
    budget = AdpSgdBudget(epsilon=1, delta=1e-5, n=100, steps=3)
    for alphas in ([1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, math.inf], [1.0, -1.0, 1.0]):
        with pytest.raises(InputError, match="3 finite numbers"):
            budget.sigma(alphas)
    with pytest.raises(InputError, match="batch"):
        budget.noise_multiplier(0)
