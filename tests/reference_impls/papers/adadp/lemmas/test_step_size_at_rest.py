"""AD-TOL: weights by integration, noise by its own recursion, the rule on noise, and a mutant that falls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.core.verdict import Status, judge
from dpverify.laws.balls import working_precision
from reference_impls.papers.adadp.lemmas.step_size_at_rest import (
    SPREAD,
    WITHIN,
    Growth,
    RuleOnNoise,
    Stationary,
    mean_weight,
)
from tests.reference_impls.rows import evidence, status

TRIALS = 2_000_000


@pytest.mark.parametrize("spread", [0.2, 1.0, 4.0])
def test_the_mean_weight_is_the_integral(spread: float) -> None:
    numbers = np.linspace(0.0, 12.0, 400_001)
    weights = np.minimum(1.0, 1.0 / np.maximum(spread * numbers, 1e-9) ** 2)
    expected = 2 * integrate.trapezoid(weights * stats.norm.pdf(numbers), numbers)
    with working_precision():
        assert float(mean_weight(flint.arb(spread)).mid()) == pytest.approx(expected, abs=1e-8)


def test_the_stationary_step_is_the_formulas_at_the_papers_own_and_not_far_out(examined) -> None:
    assert Stationary(dimension=12).truth().value == pytest.approx(
        12 * float(1 / stats.chi2.expect(lambda x: 1 / x, (12,))) ** -1
    )
    assert Stationary(spread=SPREAD).truth().value < 1.001
    assert judge(examined("AD-TOL.relative")) is Status.REFUTED
    assert judge(examined("AD-TOL.growth")) is Status.REFUTED
    assert judge(examined("AD-TOL.plain")) is Status.NOT_REFUTED


def test_the_noise_grows_as_its_own_recursion_does() -> None:
    """s^2 <- s^2 + 2 tol^2 / (d m(s)), one step at a time, at d = 2000."""
    square, x = 1e-6, 0.0
    while square < 9.0:
        with working_precision():
            weight = float(mean_weight(flint.arb(math.sqrt(square))).mid())
        square, x = square + 1e-3 / weight, x + 1e-3
    assert Growth(spread=math.sqrt(square)).printed().value == pytest.approx(WITHIN * math.sqrt(x), rel=2e-3)


@dataclass(frozen=True, kw_only=True)
class LessNoise(RuleOnNoise):
    """A mutant: the formula without its factor 2 in the root, eta^2 = tol^2 / (sigma^2 C^2 d)."""

    def statistic(self, size: int, *, rng: np.random.Generator) -> Any:
        return 2 * RuleOnNoise.statistic(self, size, rng=rng)


def test_the_rule_on_noise_comes_to_rest_at_the_formula_and_at_no_other() -> None:
    small = {"dimension": 200, "draws": 4000, "iterations": 6}
    assert status("AD-TOL.simulated", "mean", subject=LessNoise, parameters=small, trials=TRIALS) is Status.REFUTED
    # Far out (6) counts less than d coordinates.
    far = evidence("AD-TOL.simulated", "mean", parameters={**small, "spread": 3.0}, trials=TRIALS)
    assert judge(far) is Status.REFUTED
    assert far.bound < Stationary(spread=3.0).truth().value * 1.1
