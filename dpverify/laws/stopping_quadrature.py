"""The integrals behind the stopping law, in log space: adaptive Gauss-Kronrod panels for all outcomes at once.

For m levels a_0, a_1, ... (in units of the query noise's scale) and a noisy threshold with density f this computes

    log P(stop at k) = log of the integral of f(z) F(z - a_0) ... F(z - a_(k-1)) (1 - F(z - a_k)) dz,  k < m,
    log P(never)     = log of the integral of f(z) F(z - a_0) ... F(z - a_(m-1)) dz

with F the standard Laplace or normal distribution function. Every factor is log-concave, so every integrand has one
peak: values on a coarse grid, refined where a peak is narrow, tell which cells can hold mass (the rest lies e^-CUT
below the peak), and those cells are bisected until the two rules of the Gauss-Kronrod pair agree for every outcome.
Laplace panels end at the kinks (0 and every level); inside one, each factor is an exponential or one minus an
exponential, so the recursion over k only multiplies. Runs of equal levels share their factors. The error given back is
the sum of the disagreements: an estimate, and a pessimistic one (it is that of the cheaper rule), but no proof; proofs
are made in `stopping_ball`.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.laws.gauss_kronrod import PAIR_7, PAIR_15, PAIR_21

Float = NDArray[np.float64]

CUT = 46.0  # mass below e^-46 = 1e-20 of the peak is left out
AGREEMENT = 2e-11  # the two rules must agree this well on each panel, relative to the panel ...
NEGLIGIBLE = 1e-14  # ... unless their difference is below this share of the outcome
_STEEPEST = 300.0  # log-range of a factor on one Laplace panel: exp must stay far from over- and underflow
_LOG_2 = math.log(2.0)
_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)
_INVERSE_ROOT_2 = math.sqrt(0.5)
_STEEPEST_CELL = 40.0  # log-range beside a peak on one cell of the grid: nodes must not step over the peak
_X7, _K7, _D7 = PAIR_7
_X15, _K15, _D15 = PAIR_15
_X21, _K21, _D21 = PAIR_21
_MOST_HALVINGS = 60
_THIN = 1e-25
_UNIT = 2.0**-53
_REORDER = {"reassoc", "contract"}  # of sums only, so that they vectorise; never where a compensation is at work


@njit(cache=True, nogil=True, error_model="numpy")
def _log_tails(gaussian: bool, x: float) -> tuple[float, float]:
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
def _log_density(gaussian: bool, shape: float, z: float) -> float:
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
        log_product[e] = _log_density(gaussian, shape, grid[e])
    outcome = 0
    for run in range(levels.size + 1):
        last = run == levels.size
        count = 1 if last else counts[run]
        for e in range(size):
            if last:
                log_below[e], log_value[e] = 0.0, log_product[e]
            else:
                below, above = _log_tails(gaussian, grid[e] - levels[run])
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
                    if log_value[e] + t * log_below[e] > top - CUT or abs(e - at) <= 1:
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_REORDER)
def _sums(kronrod: Float, difference: Float, weight: Float) -> tuple[float, float]:
    """The Kronrod rule, and the absolute difference of the two rules, for the values `weight`."""
    whole = 0.0
    differing = 0.0
    for j in range(weight.size):
        whole += kronrod[j] * weight[j]
        differing += difference[j] * weight[j]
    return whole, abs(differing)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_REORDER)
def _sums_above(kronrod: Float, difference: Float, weight: Float, halved: float, decay: Float) -> tuple[float, float]:
    """`_sums` of weight * decay, where the panel lies above the level; then the factor below it goes into `weight`."""
    whole = 0.0
    differing = 0.0
    for j in range(weight.size):
        value = weight[j] * decay[j]
        whole += kronrod[j] * value
        differing += difference[j] * value
        weight[j] -= halved * value
    return whole, abs(differing)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_REORDER)
def _sums_below(kronrod: Float, difference: Float, weight: Float, halved: float, growth: Float) -> tuple[float, float]:
    """`_sums` of weight * (1 - halved * growth), where the panel lies below the level; then as `_sums_above`."""
    whole = 0.0
    differing = 0.0
    for j in range(weight.size):
        grown = weight[j] * growth[j]
        value = weight[j] - halved * grown
        whole += kronrod[j] * value
        differing += difference[j] * value
        weight[j] = grown
    return whole, abs(differing)


@njit(cache=True, nogil=True, error_model="numpy")
def _laplace_panel(
    low: float,
    high: float,
    shape: float,
    levels: Float,
    counts: NDArray[np.int64],
    rule: tuple[Float, Float, Float],
    found: Float,
) -> None:
    """All outcomes on one panel without a kink inside.

    `found`, shape (3, m + 1): exp(found[0]) * found[1] is the integral, exp(found[0]) * found[2] the rules'
    disagreement.
    """
    x, kronrod, difference = rule
    size = x.size
    half = 0.5 * (high - low)
    growth = np.empty(size)  # exp(z - low)
    decay = np.empty(size)
    weight = np.empty(size)  # integrand over exp(base), without the factor of the outcome itself
    slope = (1.0 if high <= 0.0 else -1.0) / shape
    reference = high if slope > 0.0 else low
    base = slope * reference - math.log(2.0 * shape)
    lost = 0.0  # compensation of the sum in `base`
    for j in range(size):
        z = half * (1.0 + x[j])
        growth[j] = math.exp(z)
        decay[j] = 1.0 / growth[j]
        weight[j] = math.exp(slope * (z - (reference - low))) * half
    outcome = 0
    for run in range(levels.size):
        gap = low - levels[run]
        halved = 0.5 * math.exp(-abs(gap))
        above = gap >= 0.0
        prefix, step = (-gap - _LOG_2, 0.0) if above else (0.0, gap - _LOG_2)
        for t in range(counts[run]):
            if above:
                whole, differing = _sums_above(kronrod, difference, weight, halved, decay)
            else:
                whole, differing = _sums_below(kronrod, difference, weight, halved, growth)
            found[0, outcome] = base + t * step + prefix
            found[1, outcome] = whole
            found[2, outcome] = differing
            outcome += 1
            if whole > 1e60 or whole < 1e-60:
                for j in range(size):
                    weight[j] /= whole
                base += math.log(whole)
        added = counts[run] * step - lost
        total = base + added
        lost = (total - base) - added
        base = total
    found[0, outcome] = base
    found[1, outcome], found[2, outcome] = _sums(kronrod, difference, weight)


@njit(cache=True, nogil=True, error_model="numpy")
def _normal_panel(
    low: float,
    high: float,
    shape: float,
    levels: Float,
    counts: NDArray[np.int64],
    rule: tuple[Float, Float, Float],
    found: Float,
) -> None:
    """As `_laplace_panel`, for normal noise, whose factors need logarithms of their own at every node."""
    x, kronrod, difference = rule
    size = x.size
    half = 0.5 * (high - low)
    log_weight = np.empty(size)
    lost = np.zeros(size)  # compensation of the sums in `log_weight`
    log_below = np.zeros(size)
    log_value = np.empty(size)
    factor = np.empty(size)
    weight = np.empty(size)
    log_half = math.log(half)
    for j in range(size):
        log_weight[j] = _log_density(True, shape, low + half * (1.0 + x[j])) + log_half
    outcome = 0
    for run in range(levels.size + 1):
        last = run == levels.size
        count = 1 if last else counts[run]
        for j in range(size):
            log_value[j] = log_weight[j]
            if not last:
                below, above = _log_tails(True, low + half * (1.0 + x[j]) - levels[run])
                log_below[j] = below
                log_value[j] += above
                added = count * below - lost[j]
                total = log_weight[j] + added
                lost[j] = (total - log_weight[j]) - added
                log_weight[j] = total
        if count > 1:
            for j in range(size):
                factor[j] = math.exp(log_below[j])
        fresh = 0  # the outcome of the run at which the weights were evaluated from their logs
        top, whole, differing = 0.0, 0.0, 0.0
        for t in range(count):
            if t > 0:
                for j in range(size):
                    weight[j] *= factor[j]
                whole, differing = _sums(kronrod, difference, weight)
            # Near the floor below, or after so many products that their rounding would show.
            if whole < 1e-60 or t - fresh > 500:
                top = -np.inf
                for j in range(size):
                    top = max(top, log_value[j] + t * log_below[j])
                for j in range(size):
                    exponent = log_value[j] + t * log_below[j] - top
                    # What lies far below stays far below until the next evaluation.
                    weight[j] = math.exp(exponent) if exponent > -600.0 else 0.0
                whole, differing = _sums(kronrod, difference, weight)
                fresh = t
            found[0, outcome] = top
            found[1, outcome] = whole
            found[2, outcome] = differing
            outcome += 1


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
    outcomes = int(counts.sum()) + 1
    masses = np.empty(outcomes)
    held, coarse = _survey(gaussian, shape, levels, counts, grid, masses)
    for _ in range(_MOST_HALVINGS):
        if not coarse.any():
            break
        grid = _refined(grid, coarse)
        held, coarse = _survey(gaussian, shape, levels, counts, grid, masses)
    sums = np.zeros(outcomes)  # over exp(masses), which is raised where it turns out to be far too low
    errors = np.zeros(outcomes)
    found = np.empty((3, outcomes))
    lows = np.empty(2 * _MOST_HALVINGS)
    highs = np.empty(2 * _MOST_HALVINGS)
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
                        _normal_panel(low, high, shape, levels, counts, rule, found)
                    else:
                        slopes = width * (1.0 + 1.0 / shape)
                        if slopes < 0.15:
                            rule = (_X7, _K7, _D7)
                        else:
                            rule = (_X15, _K15, _D15) if slopes < 2.5 else (_X21, _K21, _D21)
                        _laplace_panel(low, high, shape, levels, counts, rule, found)
                if steep or (width > smallest and low < middle and middle < high and not _agreed(found, masses, sums)):
                    lows[depth], highs[depth] = middle, high
                    lows[depth + 1], highs[depth + 1] = low, middle
                    depth += 2
                    continue
                for k in range(outcomes):
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
