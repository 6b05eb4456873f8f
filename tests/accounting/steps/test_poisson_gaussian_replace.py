"""No pair of replaced vectors in the unit ball costs more than the antipodal one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps.poisson_gaussian_replace import PoissonGaussianReplaceStep, ReplacedGaussianLoss
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError

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
    from dpverify.accounting.steps.poisson_gaussian_replace import PoissonGaussianReplaceStep
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
