from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import HasLaws, HasMu, HasPure, HasRenyi
from dpverify.core.errors import InputError
from dpverify.laws.subsampled_pair import SubsampledPair

ORDERS = np.concatenate((np.arange(1.1, 10.95, 0.1), np.arange(11, 64)))
"""Those that the golden values were found with: a finer grid gives less."""


def epsilon(step, steps, delta):
    """Canonne, Kamath, Steinke 2020, Proposition 12, over a grid."""
    curve = steps * step.renyi(ORDERS)
    tight = curve + np.log1p(-1 / ORDERS) - (math.log(delta) + np.log(ORDERS)) / (ORDERS - 1)
    return float(np.min(tight))


@pytest.mark.parametrize(
    ("q", "sigma", "steps", "expected", "digits"),
    [
        (256 / 50000, 1.0, 11700, 3.418229, 1e-5),
        (0.01, 1.1, 10000, 5.632, 1e-3),
        (256 / 50000, 8.5, 11700, 0.237703, 1e-5),
    ],
)
def test_golden_values(q, sigma, steps, expected, digits):
    assert epsilon(PoissonGaussianStep(q=q, sigma=sigma), steps, 1e-5) == pytest.approx(expected, abs=digits)


@pytest.mark.parametrize("step", PoissonGaussianStep.examples(), ids=PoissonGaussianStep.text)
def test_the_laws_have_this_curve(step):
    pairs = step.laws()
    assert isinstance(step, HasRenyi) and isinstance(step, HasLaws)
    assert not isinstance(step, HasPure) and not isinstance(step, HasMu)
    for order in (2.0, 3.0, 10.0):
        truth = pairs[0].renyi(order)
        assert step.renyi(order)[0] == pytest.approx(truth.value, abs=truth.error, rel=1e-11)
        assert step.renyi_reverse(order)[0] <= step.renyi(order)[0] * (1 + 1e-11)
    for pair in pairs:
        assert pair.delta(0.1).value <= 1
    assert (len(pairs) == 2) == (0 < step.q < 1)


@pytest.mark.parametrize("order", [1.3, 2.5, 30.0])
def test_both_directions_agree_with_quadrature(order):
    step = PoissonGaussianStep(q=0.2, sigma=1.3)
    forth, back = step.laws()
    assert isinstance(forth, SubsampledPair) and isinstance(back, SubsampledPair)
    for pair, found in ((forth, step.renyi(order)[0]), (back, step.renyi_reverse(order)[0])):
        truth = pair.renyi(order)
        assert abs(found - truth.value) <= truth.error + 1e-11 * found


def test_shapes_counts_and_text():
    step, other = PoissonGaussianStep(q=0.01, sigma=1.1), PoissonGaussianStep(q=1, sigma=4)
    orders = np.array([[1.5, 2.0], [3.0, 64.0]])
    assert step.renyi(orders).shape == step.renyi_reverse(orders).shape == (2, 2)
    both = PoissonGaussianStep.renyi_sum((step, other), (3, 10**17 + 1), orders)
    assert both == pytest.approx(3 * step.renyi(orders) + (10**17 + 1) * other.renyi(orders), rel=1e-12)
    assert step.text() == "poisson-gaussian(q=0.01, sigma=1.1)"
    assert step.relation == "add-remove"
    assert PoissonGaussianStep(q=1, sigma=4) == PoissonGaussianStep(q=1.0, sigma=4.0)


@pytest.mark.parametrize(
    "numbers",
    [
        {"q": -0.1, "sigma": 1},
        {"q": 1.1, "sigma": 1},
        {"q": math.nan, "sigma": 1},
        {"q": True, "sigma": 1},
        {"q": 0.1, "sigma": 0},
        {"q": 0.1, "sigma": -1},
        {"q": 0.1, "sigma": math.inf},
        {"q": 0.1, "sigma": math.nan},
        {"q": 0.1, "sigma": 1e-200},
        {"q": 0.1, "sigma": "1"},
    ],
)
def test_bad_numbers_are_refused(numbers):
    with pytest.raises(InputError, match="poisson-gaussian: "):
        PoissonGaussianStep(**numbers)


def test_bad_orders_are_refused():
    step = PoissonGaussianStep(q=0.1, sigma=1)
    for order in (1.0, 0.5, math.inf, math.nan):
        for curve in (step.renyi, step.renyi_reverse):
            with pytest.raises(InputError, match="order"):
                curve(order)
