"""No pair of replaced vectors in the unit ball costs more than the antipodal one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps.poisson_gaussian_replace import PoissonGaussianReplaceStep
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
