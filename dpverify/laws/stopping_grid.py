"""Locates the mass of the stopping law's integrals: a grid of cells, and which of them matter.

Every integrand of `stopping_quadrature` is a product of log-concave factors, so it has one peak: values on a coarse
grid, refined where a peak is narrow, tell which cells can hold mass. The rest lies e^-46 below the peak.

Limits: lengths are in units of the query noise's scale, and `levels` are runs of equal levels. Nothing is integrated
here; `masses` are lower bounds that panels are weighed against, no results.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.subjects import Float

_CUT = 46.0  # mass below e^-46 = 1e-20 of the peak is left out
_MOST_CELLS = 600
_LAPLACE_CELL = 2.5  # widths of the coarse grid's cells, in units of the queries' noise
_NORMAL_CELL = 2.0  # ... in units of the smaller of the two noises
_TAIL_CELLS = 9
_WIDE = 8.0  # a threshold's normal noise so many times as wide as the queries' is flat where their factors change
_EDGE = np.array([-16.0, -8.0, -4.0, 0.0, 4.0, 8.0, 16.0])  # around a level, where its factor goes from 0 to 1
_STEEPEST_CELL = 40.0  # log-range beside a peak on one cell of the grid: nodes must not step over the peak
_MOST_HALVINGS = 60
_LOG_2 = math.log(2.0)
_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)
_INVERSE_ROOT_2 = math.sqrt(0.5)


def starting_grid(gaussian: bool, shape: float, levels: Float, size: int) -> Float:
    """Points that cover all mass above e^-46, in units of the queries' noise.

    Below min(0, levels) every factor but the threshold's density is flat or falls; above max(0, levels) by log m (or
    its normal counterpart) the product of the distribution functions is within a constant of 1.
    """
    low, high = min(0.0, float(levels.min())), max(0.0, float(levels.max()))
    if gaussian:
        high += math.sqrt(2.0 * math.log(size + 1.0))
        tail = math.sqrt(2.0 * _CUT) * shape
        cell = _NORMAL_CELL * min(1.0, shape)
    else:
        high += math.log(size + 1.0)
        tail = (_CUT + 1.0) * shape
        cell = _LAPLACE_CELL
    cells = int(min(max(1.0, math.ceil((high - low) / cell)), _MOST_CELLS))
    outward = np.arange(1, _TAIL_CELLS + 1) * (tail / _TAIL_CELLS)
    around = shape * 2.0 ** np.arange(-1, 6) if shape < 1.0 else np.zeros(1)
    parts = [np.linspace(low, high, cells + 1), low - outward, high + outward, around, -around]
    if gaussian and shape > _WIDE:
        # Flat beside a level, an integrand has edges there which the nodes of a long panel step over.
        sparse = (high - low) / cells > 2.0 * _NORMAL_CELL
        edges = np.unique(levels) if sparse else np.array([levels.min(), levels.max()])
        parts.append(np.add.outer(edges, _EDGE).ravel())
    return np.unique(np.concatenate(parts))


@njit(cache=True, nogil=True, error_model="numpy")
def located(
    gaussian: bool, shape: float, levels: Float, counts: NDArray[np.int64], grid: Float
) -> tuple[Float, NDArray[np.bool_], Float]:
    """The grid, shape (g,), refined beside narrow peaks; which of its g - 1 cells can hold mass; and `masses`.

    `masses`, shape (m + 1,), are lower bounds on the logs of the integrals.
    """
    masses = np.empty(int(counts.sum()) + 1)
    held, coarse = _survey(gaussian, shape, levels, counts, grid, masses)
    for _ in range(_MOST_HALVINGS):
        if not coarse.any():
            break
        grid = _refined(grid, coarse)
        held, coarse = _survey(gaussian, shape, levels, counts, grid, masses)
    return grid, held, masses


@njit(cache=True, nogil=True, error_model="numpy")
def log_tails(gaussian: bool, x: float) -> tuple[float, float]:
    """(log F(x), log(1 - F(x)))."""
    size = abs(x)
    if not gaussian:
        small = -size - _LOG_2
        tail = math.exp(small)
    elif size < 36.0:
        tail = 0.5 * math.erfc(size * _INVERSE_ROOT_2)
        small = math.log(tail)
    else:
        y = 1.0 / (x * x)
        series = -y * (1.0 - y * (3.0 - y * (15.0 - y * (105.0 - y * (945.0 - y * 10395.0)))))
        small = -0.5 * x * x - math.log(size) - _LOG_ROOT_2PI + math.log1p(series)
        tail = 0.0
    large = math.log1p(-tail) if tail > 1e-9 else -tail
    return (large, small) if x >= 0.0 else (small, large)


@njit(cache=True, nogil=True, error_model="numpy")
def log_density(gaussian: bool, shape: float, z: float) -> float:
    """Log-density of the noisy threshold, whose scale is `shape` query scales."""
    if gaussian:
        return -0.5 * (z / shape) ** 2 - math.log(shape) - _LOG_ROOT_2PI
    return -abs(z) / shape - math.log(2.0 * shape)


@njit(cache=True, nogil=True, error_model="numpy")
def _survey(
    gaussian: bool, shape: float, levels: Float, counts: NDArray[np.int64], grid: Float, masses: Float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which cells between grid points can hold mass of any outcome, and which are too coarse beside a peak.

    `masses` gets a lower bound on the log of each integral, from the chords at the peak (of a concave logarithm).
    Along a run of equal levels the weights shift to the right only (a monotone likelihood ratio), so the cells of its
    outcomes lie between the left end for its first one and the right end for its last.
    """
    size = grid.size
    held = np.zeros(size - 1, np.bool_)
    coarse = np.zeros(size - 1, np.bool_)
    log_product = np.empty(size)
    log_below = np.zeros(size)
    log_value = np.empty(size)
    for e in range(size):
        log_product[e] = log_density(gaussian, shape, grid[e])
    outcome = 0
    for run in range(levels.size + 1):
        last = run == levels.size
        count = 1 if last else counts[run]
        for e in range(size):
            if last:
                log_below[e], log_value[e] = 0.0, log_product[e]
            else:
                below, above = log_tails(gaussian, grid[e] - levels[run])
                log_below[e], log_value[e] = below, log_product[e] + above
                log_product[e] += count * below
        left = size - 1
        right = 0
        for t in range(count):
            top, at = -np.inf, 0
            for e in range(size):
                value = log_value[e] + t * log_below[e]
                if value > top:
                    top, at = value, e
            width = 0.0
            for cell, other in ((at - 1, at - 1), (at, at + 1)):
                if 0 <= other < size:
                    drop = top - log_value[other] - t * log_below[other]
                    width += (grid[cell + 1] - grid[cell]) / max(1.0, drop)
                    coarse[cell] |= drop > _STEEPEST_CELL
            masses[outcome] = top + math.log(width) - 1.0
            outcome += 1
            if t == 0 or t == count - 1:
                for e in range(size):
                    if log_value[e] + t * log_below[e] > top - _CUT or abs(e - at) <= 1:
                        left, right = min(left, e), max(right, e)
        for cell in range(max(0, left - 1), min(size - 1, right + 1)):
            held[cell] = True
    return held, coarse


@njit(cache=True, nogil=True, error_model="numpy")
def _refined(grid: Float, coarse: NDArray[np.bool_]) -> Float:
    """The grid with the coarse cells halved."""
    finer = np.empty(grid.size + np.count_nonzero(coarse))
    finer[0] = grid[0]
    at = 1
    for cell in range(coarse.size):
        if coarse[cell]:
            finer[at] = 0.5 * (grid[cell] + grid[cell + 1])
            at += 1
        finer[at] = grid[cell + 1]
        at += 1
    return finer
