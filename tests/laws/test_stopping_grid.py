"""Where the mass lies: against the integrands themselves, written with scipy and looked at on a fine grid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import logsumexp
from scipy.stats import laplace, norm

from dpverify.laws.stopping import Noise, StoppingLaw
from dpverify.laws.stopping_grid import located, log_density, log_tails, starting_grid

LEFT_OUT = 46.0
LEVELS = [
    [0.0],
    [-3.0, -3.0, 1.0, 0.0, 2.0],
    [30.0, -30.0, 5.0],
    [-700.0, -699.5],
    np.linspace(-20.0, 4.0, 25).tolist(),
    [-2.0] * 400,
]


def integrands(noise: Noise, shape: float, levels: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Logs, shape (m + 1, n)."""
    family = laplace if noise == "laplace" else norm
    below, above = (f(points - levels[:, None]) for f in (family.logcdf, family.logsf))
    threshold = family.logpdf(points, scale=shape)
    before = np.vstack([np.zeros_like(points), np.cumsum(below, axis=0)])
    return threshold + before + np.vstack([above, np.zeros_like(points)])


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("shape", [0.02, 0.5, 1.0, 30.0])
@pytest.mark.parametrize("levels", LEVELS, ids=lambda levels: f"{len(levels)} levels from {levels[0]:g}")
def test_what_is_left_out_lies_far_below_the_peak(noise: Noise, shape: float, levels: list[float]) -> None:
    law = StoppingLaw(noise=noise, threshold_scale=shape, query_scale=1.0, levels=np.array(levels))
    values, counts = law.runs()
    gaussian = noise == "gaussian"
    grid, held, masses = located(gaussian, shape, values, counts, starting_grid(gaussian, shape, values, law.size))
    assert (np.diff(grid) > 0).all()
    points = np.unique(np.concatenate([np.linspace(grid[0], grid[-1], 4001), grid, (grid[1:] + grid[:-1]) / 2]))
    logs = integrands(noise, shape, law.levels, points)
    cell = np.clip(np.searchsorted(grid, points, side="right") - 1, 0, held.size - 1)
    outside = ~held[cell]
    peaks = logs.max(axis=1, keepdims=True)
    assert (logs[:, outside] <= peaks - LEFT_OUT + 1e-9).all()
    # Nor is anything beyond the ends; a product of distribution functions may be down to a half at the density's peak.
    assert (logs[:, [0, -1]] <= peaks - LEFT_OUT + np.log(2.0) + 1e-9).all()
    whole = [np.log(trapezoid(np.exp(row - row.max()), points)) + row.max() for row in logs]
    assert (masses <= np.array(whole) + 0.7).all()  # lower bounds; the trapezoids are coarse beside narrow peaks
    assert logsumexp(law.log_probabilities()) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("gaussian", "family"), [(False, laplace), (True, norm)])
def test_tails_and_density_are_the_familys(gaussian, family) -> None:
    for x in (-700.0, -36.5, -8.0, -1.0, -1e-9, 0.0, 0.3, 5.0, 35.9, 36.1, 200.0):
        below, above = log_tails(gaussian, x)
        assert below == pytest.approx(family.logcdf(x), rel=1e-12, abs=1e-15)
        assert above == pytest.approx(family.logsf(x), rel=1e-12, abs=1e-15)
        assert log_density(gaussian, 2.5, x) == pytest.approx(family.logpdf(x, scale=2.5), rel=1e-13)
