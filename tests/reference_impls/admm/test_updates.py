"""AM-XZ: the closed forms minimise (4.7) and (4.3), by stationarity, by subgradients and by looking around; AM-SOFT."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from reference_impls.admm.schedules import step_sizes
from reference_impls.admm.stochastic_admm import differences_step
from reference_impls.admm.updates import dual, primal, split
from reference_impls.models.regularisation import soft_threshold
from reference_impls.papers.diss.lemmas.admm.lagrangian import augmented, linearised

SEEDS = st.integers(0, 2**32)
ETAS, RHOS = st.floats(1e-3, 10.0), st.floats(0.01, 10.0)
POINTS = arrays(np.float64, 6, elements=st.floats(-50.0, 50.0))


def state(seed: int, size: int = 4) -> tuple[np.ndarray, ...]:
    """Gradient, x, y, z."""
    return tuple(3.0 * np.random.default_rng(seed).normal(size=(4, size)))


@given(SEEDS, ETAS, RHOS)
def test_the_new_x_is_stationary_and_no_other_is_lower(seed: int, eta: float, rho: float) -> None:
    g, x, y, z = state(seed)
    new = primal(g, x, y, z, eta, rho)
    scale = np.abs(g) + np.abs(y) + rho * (np.abs(new) + np.abs(z)) + (np.abs(new) + np.abs(x)) / eta
    slope = g + (new - x) / eta + y + rho * (new - z)
    assert (np.abs(slope) <= 1e-13 * scale).all()

    def value(point: np.ndarray) -> complex | float:
        """(4.7) up to what does not move with x, for complex points too."""
        return g @ point + ((point - x) ** 2).sum() / (2 * eta) + y @ (point - z) + rho / 2 * ((point - z) ** 2).sum()

    tiny = np.array([value(new + 1e-30j * unit).imag / 1e-30 for unit in np.eye(4)])
    assert (np.abs(tiny) <= 1e-12 * scale.sum()).all()
    at = {"eta": eta, "rho": rho, "l1": 0.3}
    other = new + 0.1 * np.random.default_rng(seed + 1).normal(size=4)
    best, there = (linearised(1.0, g, x, each, z, y, **at) for each in (new, other))
    constant = 1.0 + 0.3 * np.abs(z).sum()
    assert best == pytest.approx(value(new) + constant, rel=1e-12, abs=1e-10)
    distance = np.square(other - new).sum()  # the quadratic's curvature is 1 / eta + rho in every direction
    assert there - best == pytest.approx(0.5 * (1 / eta + rho) * distance, rel=1e-6, abs=1e-8)


@given(SEEDS, RHOS, st.floats(0.0, 20.0))
def test_the_new_z_has_a_zero_subgradient_and_the_new_y_is_one(seed: int, rho: float, l1: float) -> None:
    _, x, y, _ = state(seed)
    z = split(x, y, rho, l1)
    new = dual(y, x, z, rho)  # y + rho (x - z): minus the slope of the smooth part of (4.3) in z
    slack = 1e-12 * (np.abs(y) + rho * np.abs(x) + l1)
    moved = z != 0
    assert (np.abs(new - l1 * np.sign(z))[moved] <= slack[moved]).all()
    assert (np.abs(new) <= l1 + slack).all()
    at = {"rho": rho, "l1": l1}
    best = augmented(0.0, x, z, y, **at)
    for j in range(z.size):
        other = z.copy()
        other[j] = minimize_scalar(lambda v: augmented(0.0, x, np.where(np.arange(4) == j, v, z), y, **at)).x  # noqa: B023
        assert augmented(0.0, x, other, y, **at) >= best - 1e-10 * (1 + abs(best))


@given(SEEDS, ETAS, RHOS)
def test_the_step_for_differences_solves_its_system(seed: int, eta: float, rho: float) -> None:
    g, x, y, z = state(seed)
    matrix = np.diff(np.eye(4), axis=0)
    right = -g - matrix.T @ y[:3] + rho * matrix.T @ z[:3] + x / eta
    expected = np.linalg.solve(rho * matrix.T @ matrix + np.eye(4) / eta, right)
    assert differences_step(g, x, y[:3], z[:3], eta, rho) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    alone = differences_step(g[:1], x[:1], y[:0], z[:0], eta, rho)
    assert alone == pytest.approx(x[:1] - eta * g[:1], rel=1e-12, abs=1e-12)


@given(POINTS, POINTS, st.floats(0.0, 60.0))
def test_soft_thresholding_moves_coordinates_apart_by_no_more_and_never_the_other_way(
    first: np.ndarray, second: np.ndarray, threshold: float
) -> None:
    """AM-SOFT: non-expansive, and the paper's order where it is read as <= and "equal sign or zero"."""
    moved, apart = soft_threshold(first, threshold) - soft_threshold(second, threshold), first - second
    assert (np.abs(moved) <= np.abs(apart) + 1e-13).all()
    assert (moved * apart >= 0).all()


def test_the_papers_order_as_printed_does_not_hold() -> None:
    """AM-SOFT: strictly less, with equal signs, fails where nothing is lost and where all is."""
    both_beyond = soft_threshold(np.array([3.0]), 1.0) - soft_threshold(np.array([2.0]), 1.0)
    assert both_beyond == 1.0  # not below |3 - 2|
    both_inside = soft_threshold(np.array([0.5]), 1.0) - soft_threshold(np.array([0.2]), 1.0)
    assert both_inside == 0.0  # of no sign


def test_rates_never_rise_and_are_those_of_the_text() -> None:
    assert step_sizes("constant", 0.3, 3) == (0.3, 0.3, 0.3)
    assert step_sizes("epoch", 1.0, 9, batch=3, rows=10) == (1.0,) * 4 + (1 / 2,) * 3 + (1 / 3,) * 2
    assert step_sizes("root", 2.0, 4) == pytest.approx((2.0, 2 / 2**0.5, 2 / 3**0.5, 1.0))
