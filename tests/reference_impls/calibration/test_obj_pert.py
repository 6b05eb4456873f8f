"""The price of a perturbed minimum: against quadrature of the loss's bound, and above an exact law in one dimension."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from reference_impls.calibration.obj_pert import perturbed_minimum


@pytest.mark.parametrize(("mu", "jacobian"), [(0.3, 0.05), (1.0, 0.2), (0.02, 0.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.5])
def test_one_record_is_the_expectation(mu: float, jacobian: float, epsilon: float) -> None:
    def term(z: float) -> float:
        return 2 * norm.pdf(z) * max(1 - math.exp(epsilon - jacobian - mu * mu / 2 - mu * z), 0.0)

    kink = min(max((epsilon - jacobian) / mu - mu / 2, 0.0), 39.0)
    exact = quad(term, kink, 40.0, limit=300)[0] if kink else quad(term, 0.0, 40.0, limit=300)[0]
    found = perturbed_minimum(mu, jacobian, replaced=False).delta(epsilon).upper
    assert exact * (1 - 1e-7) - 1e-14 <= found <= exact * (1 + 1e-6) + 1e-12


def test_a_replaced_record_costs_what_twice_the_gradient_does() -> None:
    """At small delta the worst angle is the antipodal one."""
    replaced = perturbed_minimum(0.2, 0.1, replaced=True).epsilon(1e-6).upper
    doubled = perturbed_minimum(0.4, 0.1, replaced=False).epsilon(1e-6).upper
    assert doubled * (1 - 1e-9) <= replaced <= 1.01 * doubled


def test_the_exact_law_of_a_scalar_minimum_costs_no_more() -> None:
    """min sum_i l(w x_i) + (D / 2) w^2 + b w with a logistic loss: w determines b, so its density is known."""
    sigma, strength = 3.0, 1.5
    grid = np.linspace(-12.0, 12.0, 240001)

    def density(signs: tuple[float, ...]) -> np.ndarray:
        slope = sum(-sign / (1 + np.exp(sign * grid)) for sign in signs) + strength * grid
        curve = sum(np.exp(grid) / (1 + np.exp(grid)) ** 2 for _ in signs) + strength
        return norm.pdf(slope / sigma) / sigma * curve

    jacobian = math.log1p(0.25 / strength)
    profile = perturbed_minimum(1.0 / sigma, jacobian, replaced=False)
    both = perturbed_minimum(1.0 / sigma, jacobian, replaced=True)
    width = grid[1] - grid[0]
    less, more, other = density((1.0, -1.0)), density((1.0, -1.0, 1.0)), density((1.0, -1.0, -1.0))
    for epsilon in (0.0, 0.2, 0.6):
        for first, second, bound in ((less, more, profile), (more, less, profile), (more, other, both)):
            exact = np.maximum(first - math.exp(epsilon) * second, 0.0).sum() * width
            assert exact <= bound.delta(epsilon).upper + 1e-9
