"""Renyi bounds for one stop with Gaussian noise (AboveThreshold, NoisyBTLS) that hold, unlike BLSGD's Theorem 3.

The mechanism: threshold noise N(0, sigma_1^2), fresh N(0, sigma_2^2) for each of at most m = max_it queries, stop at
the first query above the threshold. Scales are in units of Delta; the neighbour moves query i by c_i, all |c_i - c| <=
h for some |c| <= u (:class:`Moves`). Three bounds, each a theorem; the least is given.

- *Post-processing.* The answers are a function of the vector (q_i + nu_i - rho), which is Gaussian with covariance
  sigma_2^2 I + sigma_1^2 J: alpha / 2 times the largest c' (sigma_2^2 I + sigma_1^2 J)^-1 c, a convex function, hence
  largest at a vertex. Linear in m.
- *Shifted threshold.* Move the threshold by s = c + theta in the integral for the neighbour: Hoelder's inequality pays
  alpha s^2 / (2 sigma_1^2) for it, |s| <= u + theta, and given the threshold query i has moved by d_i in [theta - h,
  theta + h], away from stopping where d_i > 0. With G, F the chances of stopping and not, at distance t, the largest
  possible moment is V_m, where V_0 = 1 and V_j = sup over t, d of G(t)^alpha G(t + d)^(1 - alpha) + V_(j - 1)
  F(t)^alpha F(t + d)^(1 - alpha). That sum is convex in d (G and F are log-concave): only the two ends count. The bound
  is alpha (u + theta)^2 / (2 sigma_1^2) + log(V_m) / (alpha - 1), for any theta >= 0. Grows like log m.
- *Closed form.* theta = h makes every d_i >= 0, so going on costs nothing and V_m <= 1 + m e^(alpha (alpha - 1) (2 h)^2
  / (2 sigma_2^2)): alpha ((u + h)^2 / sigma_1^2 + 4 h^2 / sigma_2^2) / 2 + log(1 + m) / (alpha - 1), and, a divergence
  rising with its order, the least of that over larger orders. For arbitrary queries this is formula (5) plus log(1 + m)
  / (alpha - 1): what the proof of Theorem 3 drops is the sum over m outcomes. (Zhu and Wang 2020, Theorem 8, is of this
  kind, with the expected stopping time in place of m.)

Side: upper. The supremum over t is taken on a lattice and raised by twice what second differences say may be missed, an
estimate; the other two bounds are closed. Limits: where alpha times the move exceeds `FARTHEST` query scales, or the
move is below `NEAREST`, the lattice is not used.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.special import log_ndtr

from dpverify.core.subjects import Float

SLACK = 1e-9
"""Relative rounding that every result is raised by."""
FARTHEST = 25.0
"""Largest alpha times move, in query scales, that the lattice is used for."""
NEAREST = 1e-6
"""Smallest move, in query scales, that the lattice is used for: below it differences of tails lose their digits."""

_SPACING = 0.01  # of the lattice over t, in query scales
_REACH = 9.0  # beyond it, and beyond what alpha adds, tails are below the slack
_TERMS = 14  # of e^x - 1 - x for |x| <= 1/2


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """A neighbour's moves of the queries, in units of Delta: all within h of one centre, itself within u of 0."""

    h: float
    u: float


MOVES = {
    "losses": Moves(h=0.5, u=0.5),
    "bounded": Moves(h=1.0, u=1.0),
    "arbitrary": Moves(h=1.0, u=0.0),
}
"""The readings of BLSGD's Theorems: losses in [0, Delta]; abs(loss) <= Delta; any queries of sensitivity Delta."""


def sound_bound(order: float, *, sigma_1: float, sigma_2: float, max_it: int, moves: Moves) -> float:
    """The least of the three bounds at one real order > 1, in nats; finite."""
    found = [vector_bound(order, sigma_1, sigma_2, max_it, moves), _closed(order, sigma_1, sigma_2, max_it, moves)]
    for theta in (0.0, moves.h / 2, moves.h):
        spread = (theta - moves.h) / sigma_2, (theta + moves.h) / sigma_2
        moment = log_moment(order, max_it, *spread)
        found.append(order * ((moves.u + theta) / sigma_1) ** 2 / 2 + moment / (order - 1))
    return min(found) * (1 + SLACK)


def vector_bound(order: float, sigma_1: float, sigma_2: float, max_it: int, moves: Moves) -> float:
    """The first bound at one order: k queries move by u + h, the others by u - h.

    Exactly alpha mu^2 / 2 for the pair N(0, 1), N(mu, 1), which dominates all answers of one search together.
    """
    high, low, ratio = moves.u + moves.h, moves.u - moves.h, (sigma_2 / sigma_1) ** 2
    share = 1 / (ratio + max_it)

    def form(k: int) -> float:
        return k * high**2 + (max_it - k) * low**2 - share * (k * high + (max_it - k) * low) ** 2

    # concave in k
    best = ((high + low) / (2 * share) - max_it * low) / (high - low)
    near = {min(max(place, 0), max_it) for place in (math.floor(best), math.ceil(best))}
    return order * max(form(k) for k in near) / sigma_2**2 / 2


def _closed(order: float, sigma_1: float, sigma_2: float, max_it: int, moves: Moves) -> float:
    rate = (((moves.u + moves.h) / sigma_1) ** 2 + (2 * moves.h / sigma_2) ** 2) / 2
    outcomes = math.log1p(max_it)
    best = max(order, 1 + math.sqrt(outcomes / rate)) if rate > 0 else order
    return best * rate + outcomes / (best - 1)


@functools.lru_cache(maxsize=4096)
def log_moment(order: float, max_it: int, low: float, high: float) -> float:
    """log V_m for moves in [low, high], in query scales; +inf where the lattice is not used."""
    farthest = max(abs(low), abs(high))
    if farthest < NEAREST or order * farthest > FARTHEST:
        return math.inf
    reach = _REACH + order * farthest
    t = np.arange(-reach, reach + _SPACING, _SPACING)
    lines = [_line(order, t, move) for move in {low, high}]
    gain = np.concatenate([line[0] for line in lines] + [np.zeros(1)])
    slope = np.concatenate([line[1] for line in lines] + [np.ones(1)])  # the query that never stops: V stays
    by_slope = np.lexsort((gain, slope))
    excess = float(_iterated(gain[by_slope], slope[by_slope], max_it))
    return math.log1p(excess) if math.isfinite(excess) else math.inf


def _line(order: float, t: Float, move: float) -> tuple[Float, Float]:
    """V_j - 1 as lines in V_(j - 1) - 1, one for each t: heights at 0 and slopes, raised for the values between."""
    stop, stopped = log_ndtr(-t), log_ndtr(-(t + move))
    on, gone = log_ndtr(t), log_ndtr(t + move)
    with np.errstate(over="ignore"):
        height = _excess(order, stop, stopped) + _excess(order, on, gone)
        slope = np.exp(order * on + (1 - order) * gone)
    return height + _between(height), slope + _between(slope)


def _excess(order: float, log_p: Float, log_q: Float) -> Float:
    """q ((p/q)^alpha - 1 - alpha (p/q - 1)) >= 0: summed over outcomes, the moment less 1."""
    ratio = log_p - log_q
    near = np.abs(order * ratio) <= 0.5
    y, x = (np.where(near, value, 0.0) for value in (order * ratio, ratio))
    small = np.exp(log_q) * (_beyond_linear(y) - order * _beyond_linear(x))
    large = np.exp(log_q + order * ratio) - np.exp(log_q) - order * (np.exp(log_p) - np.exp(log_q))
    return np.asarray(np.maximum(np.where(near, small, large), 0.0))


def _beyond_linear(x: Float) -> Float:
    """e^x - 1 - x for |x| <= 1/2, without cancellation."""
    series = np.ones_like(x)
    for k in range(_TERMS, 2, -1):
        series = 1 + series * x / k
    return np.asarray(x * x / 2 * series)


def _between(values: Float) -> Float:
    """Twice a smooth function's possible excess over its lattice values near a maximum: |second difference| / 4."""
    with np.errstate(invalid="ignore", over="ignore"):
        bend = np.abs(np.diff(values, 2)) / 4
    bend = np.where(np.isfinite(bend), bend, np.inf)
    return np.concatenate((bend[:1], bend, bend[-1:]))


@njit(cache=True, nogil=True, error_model="numpy")
def _iterated(gain: Float, slope: Float, times: int) -> float:
    """x = max over lines of gain + slope x, `times` times from 0; lines sorted by slope, then gain."""
    hull = np.empty(gain.size, dtype=np.int64)
    size = 0
    for i in range(gain.size):
        if size and slope[hull[size - 1]] == slope[i]:
            size -= 1
        while size > 1:
            a, b = hull[size - 2], hull[size - 1]
            if (gain[b] - gain[a]) * (slope[i] - slope[a]) > (gain[i] - gain[a]) * (slope[b] - slope[a]):
                break
            size -= 1
        hull[size] = i
        size += 1
    x, at = 0.0, 0
    for _ in range(times):
        while at + 1 < size and gain[hull[at + 1]] + slope[hull[at + 1]] * x >= gain[hull[at]] + slope[hull[at]] * x:
            at += 1
        x = gain[hull[at]] + slope[hull[at]] * x
    return x
