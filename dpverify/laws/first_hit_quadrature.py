"""The integrals behind `first_hit`: every outcome at once, on Gauss-Kronrod panels that end at the kinks.

Given the threshold's noise z a query's branches fail or succeed by themselves, and between kinks each factor (a
failure, or a success with a value in one bin) is alpha + beta e^((z - low) / b) + gamma e^(-(z - low) / b). So one pass
over the queries keeps the product of the failures at the nodes, and three sums (against 1, the growing and the decaying
exponential) serve all bins of a branch. A bin of absolute values that lies above the noisy threshold on the whole panel
has a constant chance: its share comes from running sums at the end. Left of all kinks the integrands are exponentials,
integrated in closed form; panels are short enough (log-slope times length at most 6) that no node is stepped over, and
weights carry logarithms, so that a probability of e^-1000 has as many right digits as one of a half.

The error given back is the difference of the two rules, summed: an estimate, no proof (`first_hit_ball` makes these).
Assumes Laplace noise throughout. Limits: (branches + bins) * m * panels operations, panels growing with m.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.subjects import Float
from dpverify.laws.gauss_kronrod import PAIR_21

CUT = 46.0  # mass below e^-46 = 1e-20 of the peak is left out
_CHANGE = 6.0  # log-range of an integrand on a panel: the 10-point rule is then right to 1e-14
_LOG_2 = math.log(2.0)
_X, _K, _D = PAIR_21
_HUGE = 1e60
_THIN = 1e-25  # of the smallest scale: kinks may be a hair apart, and between them lies nothing


@njit(cache=True, nogil=True, error_model="numpy")
def log_window(x: float, y: float) -> float:
    """log P(x <= Laplace noise of scale 1 < y), right in relative terms in both tails; x < y, infinite ones too."""
    if x >= 0.0:
        return -x - _LOG_2 + math.log(-math.expm1(x - y))
    if y <= 0.0:
        return y - _LOG_2 + math.log(-math.expm1(x - y))
    return math.log(-0.5 * (math.expm1(x) + math.expm1(-y)))


@njit(cache=True, nogil=True, error_model="numpy")
def log_windows(levels: Float, scale: float, ends: Float) -> Float:
    """log P(ends[t] <= level + noise < ends[t + 1]) for each level, shape (m, t): of what is released anew."""
    found = np.empty((levels.size, ends.size - 1))
    for k in range(levels.size):
        for t in range(ends.size - 1):
            found[k, t] = log_window((ends[t] - levels[k]) / scale, (ends[t + 1] - levels[k]) / scale)
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _mark(
    low: float, middle: float, level: float, scale: float, lower: float, upper: float, moving: bool
) -> tuple[float, float, float, float]:
    """(log-scale, alpha, beta, gamma) of P(z + lower <= level + noise < upper), with z + upper if it is `moving`."""
    first = (low + lower - level) / scale
    last = (low + upper - level) / scale if moving else (upper - level) / scale
    above = middle + lower > level
    above_too = upper == np.inf or (middle + upper > level if moving else upper > level)
    if above:
        if moving:
            return -first - _LOG_2, 0.0, 0.0, -math.expm1(first - last)
        return -first - _LOG_2, -math.exp(first - last), 0.0, 1.0
    if not above_too:
        if moving:
            return last - _LOG_2, 0.0, -math.expm1(first - last), 0.0
        return last - _LOG_2, 1.0, -math.exp(first - last), 0.0
    if moving:
        return 0.0, 1.0, -0.5 * math.exp(first), -0.5 * math.exp(-last)
    return 0.0, 1.0 - 0.5 * math.exp(-last), -0.5 * math.exp(first), 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _add(totals: Float, slot: int, log: float, value: float, error: float) -> None:
    """Add e^log * value, and its error, to a slot of `totals`, shape (3, slots): log-scale, sum, error."""
    excess = log - totals[0, slot]
    if excess > 0.0:
        shrunk = math.exp(-excess)
        totals[0, slot] = log
        totals[1, slot] = totals[1, slot] * shrunk + value
        totals[2, slot] = totals[2, slot] * shrunk + abs(error)
    else:
        grown = math.exp(excess)
        totals[1, slot] += value * grown
        totals[2, slot] += abs(error) * grown


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _sums(weight: Float, shape: Float) -> tuple[float, float]:
    """The Kronrod rule for weight * shape, and the difference of the two rules."""
    whole, differing = 0.0, 0.0
    for j in range(weight.size):
        value = weight[j] * shape[j]
        whole += _K[j] * value
        differing += _D[j] * value
    return whole, differing


@njit(cache=True, nogil=True, error_model="numpy")
def _panel(
    low: float,
    high: float,
    threshold_scale: float,
    levels: Float,
    offsets: Float,
    scales: Float,
    moving: NDArray[np.bool_],
    starts: NDArray[np.int64],
    edges: Float,
    shapes: Float,
    totals: Float,
    passed: Float,
) -> None:
    """Add the panel's share to `totals` and `passed` (no mark); `low` = -inf: all that lies left of `high`."""
    tail = low == -np.inf
    middle = low if tail else 0.5 * (low + high)
    if tail:
        low = high
    half = 0.5 * (high - low)
    sign = 1.0 if middle < 0.0 else -1.0
    base = sign * low / threshold_scale - math.log(2.0 * threshold_scale)
    rate = 1.0 / threshold_scale  # of the weight, in the tail
    weight, one = shapes[0], shapes[1]
    if not tail:
        for j in range(_X.size):
            length = half * (1.0 + _X[j])
            weight[j] = half * math.exp(sign * length / threshold_scale)
            one[j] = 1.0
            for b in range(scales.size):
                shapes[2 + 2 * b, j] = math.exp(length / scales[b])
                shapes[3 + 2 * b, j] = 1.0 / shapes[2 + 2 * b, j]
    slot = 0
    for k in range(levels.size):
        for b in range(scales.size):
            level, scale, offset = levels[k], scales[b], offsets[b]
            growth, decay = shapes[2 + 2 * b], shapes[3 + 2 * b]
            above = middle + offset > level
            count = starts[b + 1] - starts[b]
            falling, falling_error = 0.0, 0.0
            if tail:
                whole, error = 1.0 / rate, 0.0
                rising, rising_error = 1.0 / (rate + 1.0 / scale), 0.0
            else:
                whole, error = _sums(weight, one)
                rising, rising_error = 0.0, 0.0
                if not above:
                    rising, rising_error = _sums(weight, growth)
                if above or (moving[b] and count > 0):
                    falling, falling_error = _sums(weight, decay)
            lower, first = offset, 0
            if not moving[b]:
                while first < count and edges[starts[b] + first] <= middle + offset:
                    first += 1
                _add(passed, slot + first, base, whole, error)
            for t in range(first, count + 1 if moving[b] else first + 1):
                upper = edges[starts[b] + t] if t < count else np.inf
                log, alpha, beta, gamma = _mark(low, middle, level, scale, lower, upper, moving[b])
                value = alpha * whole + beta * rising + gamma * falling
                differing = alpha * error + beta * rising_error + gamma * falling_error
                _add(totals, slot + t, base + log, value, differing)
                lower = upper
            slot += count + 1
            place = (low + offset - level) / scale
            if tail:
                rate += 1.0 / scale
            elif above:
                halved = 0.5 * math.exp(-place)
                for j in range(weight.size):
                    weight[j] *= 1.0 - halved * decay[j]
            else:
                for j in range(weight.size):
                    weight[j] *= growth[j]
            if not above:
                base += place - _LOG_2
            if not tail and (whole > _HUGE or whole < 1.0 / _HUGE):
                for j in range(weight.size):
                    weight[j] /= whole
                base += math.log(whole)
    if tail:
        _add(totals, slot, base, 1.0 / rate, 0.0)
    else:
        whole, error = _sums(weight, one)
        _add(totals, slot, base, whole, error)


@njit(cache=True, nogil=True, error_model="numpy")
def _slope(z: float, threshold_scale: float, levels: Float, offsets: Float, scales: Float) -> float:
    """A bound on the log-slope of every integrand right of `z` and before the next kink."""
    total: float = 1.0 / threshold_scale + 1.0 / scales.min()
    for b in range(scales.size):
        for k in range(levels.size):
            place = (z + offsets[b] - levels[k]) / scales[b]
            if place < 1e-12:
                total += 1.0 / scales[b]
            else:
                halved = 0.5 * math.exp(-place)
                total += halved / (1.0 - halved) / scales[b]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def integrate(
    threshold_scale: float,
    levels: Float,
    offsets: Float,
    scales: Float,
    moving: NDArray[np.bool_],
    starts: NDArray[np.int64],
    edges: Float,
    kinks: Float,
) -> tuple[Float, Float]:
    """Log-probabilities of all outcomes and the estimated relative errors of the probabilities.

    Parameters
    ----------
    threshold_scale : float
        Laplace scale of the threshold's noise.
    levels : shape (m,)
        Query answers minus the public threshold.
    offsets, scales, moving : shape (b,)
        A branch succeeds where level + noise >= z + offset; its edges move with z, or stand still.
    starts : shape (b + 1,)
        Branch j has the edges from starts[j] to starts[j + 1], increasing, one bin more than edges.
    edges : shape (e,)
    kinks : shape (s,)
        Increasing: 0 and every z at which a factor changes its form.

    Returns
    -------
    two arrays, shape (m (e + b) + 1,)
        Query by query, branch by branch, bin by bin; last "never".
    """
    outcomes = levels.size * (edges.size + scales.size) + 1
    totals = np.zeros((3, outcomes))
    totals[0] = -np.inf
    passed = totals.copy()  # panels on which the threshold lies in this bin, and no mark: for the bins above it
    shapes = np.empty((2 + 2 * scales.size, _X.size))
    arguments = (threshold_scale, levels, offsets, scales, moving, starts, edges, shapes, totals, passed)
    _panel(-np.inf, kinks[0], *arguments)
    end = kinks[-1] + scales.max() * math.log(levels.size + 1.0) + CUT * threshold_scale
    for segment in range(kinks.size):
        low = kinks[segment]
        last = kinks[segment + 1] if segment + 1 < kinks.size else end
        while last - low > _THIN * min(threshold_scale, scales.min()):
            high = low + _CHANGE / _slope(low, threshold_scale, levels, offsets, scales)
            if high > last or not high > low:
                high = last
            _panel(low, high, *arguments)
            low = high
    slot = 0
    for k in range(levels.size):
        for b in range(scales.size):
            count = starts[b + 1] - starts[b]
            for t in range(count + 1):
                if not moving[b] and t > 0:
                    before = slot + t - 1
                    upper = edges[starts[b] + t] if t < count else np.inf
                    x, y = (edges[starts[b] + t - 1] - levels[k]) / scales[b], (upper - levels[k]) / scales[b]
                    _add(totals, slot + t, passed[0, before] + log_window(x, y), passed[1, before], passed[2, before])
                    _add(passed, slot + t, passed[0, before], passed[1, before], passed[2, before])
            slot += count + 1
    return totals[0] + np.log(totals[1]), totals[2] / totals[1]
