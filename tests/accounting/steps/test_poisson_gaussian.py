from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps.poisson_gaussian import (
    PoissonGaussianReplaceStep,
    PoissonGaussianStep,
    ReplacedGaussianLoss,
)
from dpverify.core.composition import Composition, HasLaws, HasMu, HasPure, HasRenyi
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


GRID = np.linspace(-9.0, 9.0, 361)


def divergence(u: complex, v: complex, q: float, sigma: float, epsilon: float) -> float:
    """The hockey stick in the plane, on a lattice."""
    x, y = np.meshgrid(GRID, GRID)

    def law(at: complex) -> np.ndarray:
        square = (x - at.real / sigma) ** 2 + (y - at.imag / sigma) ** 2
        return (1 - q) * np.exp(-(x**2 + y**2) / 2) + q * np.exp(-square / 2)

    gap = np.maximum(law(u) - math.exp(epsilon) * law(v), 0.0)
    return float(gap.sum() * (GRID[1] - GRID[0]) ** 2 / (2 * math.pi))


@settings(max_examples=25)
@given(
    st.floats(0, 1),
    st.floats(0, 2 * math.pi),
    st.floats(0, 1),
    st.sampled_from([0.05, 0.4, 1.0]),
    st.sampled_from([0.0, 0.1, 0.7]),
)
def test_the_antipodal_pair_dominates(length: float, angle: float, other: float, q: float, epsilon: float) -> None:
    u, v = complex(length), other * complex(math.cos(angle), math.sin(angle))
    worst = divergence(1.0 + 0j, -1.0 + 0j, q, 0.8, epsilon)
    assert divergence(u, v, q, 0.8, epsilon) <= worst + 1e-6


@pytest.mark.parametrize("q", [0.05, 1.0])
def test_the_step_is_that_pair(q: float) -> None:
    found = compose(Composition.of(PoissonGaussianReplaceStep(q=q, sigma=0.8)))
    for epsilon in (0.0, 0.1, 0.7):
        assert found.delta(epsilon).upper == pytest.approx(divergence(1.0, -1.0, q, 0.8, epsilon), rel=2e-3, abs=1e-6)


def test_bad_numbers() -> None:
    for q, sigma in ((1.5, 1.0), (0.1, 0.0), (0.1, 1e-200)):
        with pytest.raises(InputError):
            PoissonGaussianReplaceStep(q=q, sigma=sigma)


CASES = [(1.0, 0.01), (0.2, 0.3), (3.0, 0.5), (0.05, 0.001)]


def laws(y: np.ndarray, mu: float, rate: float, side: float) -> np.ndarray:
    return ((1 - rate) * np.exp(-(y**2) / 2) + rate * np.exp(-((y - side * mu) ** 2) / 2)) / math.sqrt(2 * math.pi)


@pytest.mark.parametrize(("mu", "rate"), CASES)
def test_the_masses_are_those_of_the_mixtures(mu: float, rate: float) -> None:
    loss = ReplacedGaussianLoss(mu=mu, rate=rate)
    at = np.array([-2.0, -0.3, 0.0, 0.1, 2.0]) * (1.0 if mu > 0.5 else 0.01)
    found = loss.masses(at)
    assert found is not None

    points = np.linspace(-12.0, 12.0 + mu, 400_001)
    first, second = (laws(points, mu, rate, side) for side in (1.0, -1.0))
    values, width = np.log(first / second), points[1] - points[0]

    def cell(law: np.ndarray, low: float, high: float) -> float:
        # naively: where the loss lies between the thresholds
        return float(law[(values > low) & (values <= high)].sum() * width)

    ends = np.concatenate(([-np.inf], at, [np.inf]))
    for k in range(6):
        assert found.p[k] == pytest.approx(cell(first, ends[k], ends[k + 1]), abs=1e-4)
        assert found.q[k] == pytest.approx(cell(second, ends[k], ends[k + 1]), abs=1e-4)
    assert found.p.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("mu", "rate"), CASES)
def test_between_thresholds_the_ratio_lies_between_them(mu: float, rate: float) -> None:
    loss = ReplacedGaussianLoss(mu=mu, rate=rate)
    low, high = loss.extent(1e-12)
    at = np.linspace(low, high, 200)
    found = loss.masses(at)
    assert found is not None
    big = found.p[1:-1] > 1e-13
    ratio = np.log(found.p[1:-1][big] / found.q[1:-1][big])
    assert np.all(ratio >= at[:-1][big] - 1e-6)
    assert np.all(ratio <= at[1:][big] + 1e-6)
    assert low == -high
    assert found.p[-1] <= 1.01e-12 and found.q[0] <= 1.01e-12


@pytest.mark.parametrize(("mu", "rate"), CASES)
def test_the_profile_is_the_integral(mu: float, rate: float) -> None:
    from dpverify.accounting.accountants.pld import compose
    from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep
    from dpverify.core.composition import Composition

    composed = compose(Composition.of(PoissonGaussianReplaceStep(q=rate, sigma=1 / mu)))
    for epsilon in (0.0, 0.05, 0.5):
        exact = quad(
            lambda y, e=epsilon: max(laws(y, mu, rate, 1.0) - math.exp(e) * laws(y, mu, rate, -1.0), 0.0),
            -12,
            12 + mu,
            limit=400,
            points=[0.0, mu],
        )[0]
        found = composed.delta(epsilon)
        assert found.lower <= exact + 1e-8
        assert found.upper >= exact - 1e-8
        assert found.upper <= exact * 1.02 + 1e-9
