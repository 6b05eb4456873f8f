"""The price of a perturbed minimum: against quadrature of the loss's bound, and above an exact law in one dimension."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from dpverify.utility.calibration_family import Asked
from dpverify.utility.closed_forms import Profile
from reference_impls.calibration.obj_pert import ObjPertFamily, perturbed_minimum
from reference_impls.optimizers.obj_pert import ObjPert


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


@pytest.mark.parametrize("budget", [1.0, 8.0])
def test_the_exact_law_of_a_scalar_minimum_costs_no_more(budget: float) -> None:
    """min sum_i l(w x_i) + (Delta / 2) w^2 + b w with a logistic loss: w determines b, so its density is known."""
    algorithm = ObjPert(epsilon=budget, delta=0.01)
    sigma, strength = algorithm.noise_scale, algorithm.strength
    grid = np.linspace(-60.0, 60.0, 600_001) * max(1.0, sigma / strength / 5)

    def density(signs: tuple[float, ...]) -> np.ndarray:
        slope = sum(-sign * expit(-sign * grid) for sign in signs) + strength * grid
        curve = len(signs) * expit(grid) * expit(-grid) + strength
        return norm.pdf(slope / sigma) / sigma * curve

    def bound(relation: str) -> Profile:
        asked = Asked(epsilon=1.0, delta=0.01, relation=relation, rows=3)
        (found,) = ObjPertFamily().priced(algorithm, asked)
        assert isinstance(found, Profile)
        return found

    width = grid[1] - grid[0]
    less, more, other = density((1.0, -1.0)), density((1.0, -1.0, 1.0)), density((1.0, -1.0, -1.0))
    assert less.sum() * width == pytest.approx(1.0, abs=1e-4)
    for epsilon in (0.0, 0.2, 0.6, 1.2):
        for first, second, kind in ((less, more, "add-remove"), (more, less, "add-remove"), (more, other, "replace")):
            exact = np.maximum(first - math.exp(epsilon) * second, 0.0).sum() * width
            allowed = bound(kind).delta(epsilon).upper
            assert exact <= allowed + 1e-6
    # logistic loss on rows in the unit ball: zeta = 1, lambda = 1 / 4
    by_hand = perturbed_minimum(1.0 / sigma, math.log1p(0.25 / strength), replaced=False)
    assert bound("add-remove").delta(0.3).upper == pytest.approx(by_hand.delta(0.3).upper, rel=1e-9)
