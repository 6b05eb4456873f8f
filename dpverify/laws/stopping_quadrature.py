"""The integrals behind the stopping law, in log space: adaptive Gauss-Kronrod panels for all outcomes at once.

For m levels a_0, a_1, ... (in units of the query noise's scale) and a noisy threshold with density f this computes

    log P(stop at k) = log of the integral of f(z) F(z - a_0) ... F(z - a_(k-1)) (1 - F(z - a_k)) dz,  k < m,
    log P(never)     = log of the integral of f(z) F(z - a_0) ... F(z - a_(m-1)) dz

with F the standard Laplace or normal distribution function. The cells that can hold mass (`stopping_grid`) are bisected
until the two rules of the Gauss-Kronrod pair (`stopping_panels`) agree for every outcome. The error given back is the
sum of the disagreements: an estimate, and a pessimistic one (it is that of the cheaper rule), but no proof; proofs are
made in `stopping_ball`.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.subjects import Float
from dpverify.laws.gauss_kronrod import PAIR_7, PAIR_15, PAIR_21
from dpverify.laws.stopping_grid import located
from dpverify.laws.stopping_panels import laplace_panel, normal_panel

AGREEMENT = 2e-11  # the two rules must agree this well on each panel, relative to the panel ...
NEGLIGIBLE = 1e-14  # ... unless their difference is below this share of the outcome
_STEEPEST = 300.0  # log-range of a factor on one Laplace panel: exp must stay far from over- and underflow
_X7, _K7, _D7 = PAIR_7
_X15, _K15, _D15 = PAIR_15
_X21, _K21, _D21 = PAIR_21
_DEEPEST = 120  # panels waiting at a time: a cell's halves of halves
_THIN = 1e-25
_UNIT = 2.0**-53


@njit(cache=True, nogil=True, error_model="numpy")
def _agreed(found: Float, masses: Float, sums: Float) -> bool:
    """Whether the two rules agree on this panel, as far as rounding lets them, for every outcome with a share in it."""
    for k in range(sums.size):
        tolerance = AGREEMENT + 16.0 * _UNIT * abs(found[0, k])
        if found[2, k] > tolerance * found[1, k]:
            # The sum so far (and 1, the bound it is relative to) lies below the total: this errs towards splitting.
            known = max(1.0, sums[k])
            if found[2, k] * math.exp(min(found[0, k] - masses[k], 700.0)) > NEGLIGIBLE * known:
                return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def integrate(
    gaussian: bool, shape: float, levels: Float, counts: NDArray[np.int64], kinks: Float, grid: Float
) -> tuple[Float, Float]:
    """Log-probabilities of all outcomes and the estimated relative errors of the probabilities.

    Parameters
    ----------
    gaussian : bool
        Normal noise, else Laplace noise.
    shape : float
        Scale of the threshold's noise over that of the queries'.
    levels, counts : shape (r,)
        The levels' runs of equal values, in units of the query noise's scale, and how long each is.
    kinks : shape (s,)
        Where panels must end, in increasing order (may be empty).
    grid : shape (g,)
        Increasing; covers all that matters.

    Returns
    -------
    two arrays, shape (m + 1,), m = sum of counts
        The last entry of each is that of "never".
    """
    grid, held, masses = located(gaussian, shape, levels, counts, grid)
    outcomes = masses.size
    sums = np.zeros(outcomes)  # over exp(masses), which is raised where it turns out to be far too low
    errors = np.zeros(outcomes)
    found = np.empty((3, outcomes))
    least = masses.copy()
    for k in range(outcomes - 2, -1, -1):
        least[k] = min(least[k], least[k + 1])
    lows = np.empty(_DEEPEST)
    highs = np.empty(_DEEPEST)
    kink = 0
    for cell in range(grid.size - 1):
        if not held[cell]:
            continue
        start = grid[cell]
        while start < grid[cell + 1]:
            end = grid[cell + 1]
            while kink < kinks.size and kinks[kink] <= start:
                kink += 1
            if kink < kinks.size and kinks[kink] < end:
                end = kinks[kink]
            # Levels may be a hair apart: between them lies nothing.
            lows[0], highs[0], depth = start, end, 1 if end - start > _THIN * min(1.0, shape) else 0
            smallest = (end - start) * 2.0**-40
            while depth > 0:
                depth -= 1
                low, high = lows[depth], highs[depth]
                width = high - low
                middle = 0.5 * (low + high)
                steep = not gaussian and width * max(1.0, 1.0 / shape) > _STEEPEST
                if not steep:
                    if gaussian:
                        wide = width > 0.6 * min(1.0, shape)
                        rule = (_X21, _K21, _D21) if wide else (_X15, _K15, _D15)
                        normal_panel(low, high, shape, levels, counts, rule, masses, least, found)
                    else:
                        slopes = width * (1.0 + 1.0 / shape)
                        if slopes < 0.15:
                            rule = (_X7, _K7, _D7)
                        else:
                            rule = (_X15, _K15, _D15) if slopes < 2.5 else (_X21, _K21, _D21)
                        laplace_panel(low, high, shape, levels, counts, rule, found)
                if steep or (width > smallest and low < middle and middle < high and not _agreed(found, masses, sums)):
                    lows[depth], highs[depth] = middle, high
                    lows[depth + 1], highs[depth + 1] = low, middle
                    depth += 2
                    continue
                for k in range(outcomes):
                    if found[1, k] == 0.0:
                        continue
                    excess = found[0, k] - masses[k]
                    if excess > 300.0:
                        sums[k] *= math.exp(-excess)
                        errors[k] *= math.exp(-excess)
                        masses[k] += excess
                        excess = 0.0
                    scale = math.exp(excess)
                    sums[k] += found[1, k] * scale
                    errors[k] += found[2, k] * scale
            start = end
    return masses + np.log(sums), errors / sums
