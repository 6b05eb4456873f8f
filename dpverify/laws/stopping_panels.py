"""One Gauss-Kronrod panel of the stopping law's integrals: all outcomes at once, in log space.

Each panel gives, for every outcome, its integral and how far the two rules of the pair disagree. Laplace panels must
end at the kinks (0 and every level): inside one, each factor is an exponential or one minus an exponential, so the
recursion over the outcomes only multiplies. Normal factors need logarithms at every node. Runs of equal levels share
their factors.

Assumes: lengths in units of the query noise's scale. Limits: a Laplace panel's factors must not range over more than
e^300, or they overflow. Which panels to take, and what their disagreements mean, is `stopping_quadrature`'s.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.subjects import Float
from dpverify.laws.stopping_grid import log_density, log_tails

_LOG_2 = math.log(2.0)
_LOST = 60.0  # values e^-60 = 1e-26 below an outcome's mass change no digit of it, and are not evaluated
_ROUGH = 2.0**-48  # of a log: what both of such a comparison may be wrong by
_REORDER = {"reassoc", "contract"}  # of sums only, so that they vectorise; never where a compensation is at work


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
def laplace_panel(
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
def normal_panel(
    low: float,
    high: float,
    shape: float,
    levels: Float,
    counts: NDArray[np.int64],
    rule: tuple[Float, Float, Float],
    masses: Float,
    least: Float,
    found: Float,
) -> None:
    """As `laplace_panel`, for normal noise, whose factors need logarithms of their own at every node.

    `masses`, shape (m + 1,), are lower bounds on the logs of the integrals, and `least` the smallest of each outcome's
    and all later ones': what lies far below them on the whole panel is 0 in `found`.
    """
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
        log_weight[j] = log_density(True, shape, low + half * (1.0 + x[j])) + log_half
    outcome = 0
    for run in range(levels.size + 1):
        last = run == levels.size
        count = 1 if last else counts[run]
        top = -np.inf
        for j in range(size):
            top = max(top, log_weight[j])
        if top < least[outcome] - _LOST - _ROUGH * abs(top):  # weights only fall, and no outcome's values exceed them
            _nothing(found, outcome, found.shape[1], top)
            return
        for j in range(size):
            log_value[j] = log_weight[j]
            if not last:
                below, above = log_tails(True, low + half * (1.0 + x[j]) - levels[run])
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
        whole, differing = 0.0, 0.0
        for t in range(count):
            if t > 0 and whole > 0.0:
                for j in range(size):
                    weight[j] *= factor[j]
                whole, differing = _sums(kronrod, difference, weight)
            # Near the floor below, or after so many products that their rounding would show.
            if whole < 1e-60 or t - fresh > 500:
                top = -np.inf
                for j in range(size):
                    top = max(top, log_value[j] + t * log_below[j])
                if top < least[outcome + t] - _LOST - _ROUGH * abs(top):  # along a run, values only fall
                    _nothing(found, outcome + t, outcome + count, top)
                    break
                whole, differing = 0.0, 0.0
                if top >= masses[outcome + t] - _LOST - _ROUGH * abs(top):
                    for j in range(size):
                        exponent = log_value[j] + t * log_below[j] - top
                        # What lies far below stays far below until the next evaluation.
                        weight[j] = math.exp(exponent) if exponent > -600.0 else 0.0
                    whole, differing = _sums(kronrod, difference, weight)
                fresh = t
            found[0, outcome + t] = top
            found[1, outcome + t] = whole
            found[2, outcome + t] = differing
        outcome += count


@njit(cache=True, nogil=True, error_model="numpy")
def _nothing(found: Float, first: int, end: int, top: float) -> None:
    """No share of the panel for the outcomes from `first` to `end`."""
    for k in range(first, end):
        found[0, k] = top
        found[1, k] = 0.0
        found[2, k] = 0.0
