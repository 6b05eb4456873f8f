"""The best order: the least value of an objective over orders above 1, found by a coarse grid and a bracketed search.

Basis: for a true Renyi curve (alpha - 1) D_alpha is convex in alpha, and stays so under sums and maxima over
directions. Both conversions' epsilon is such a convex function over alpha - 1, hence quasi-convex; their log delta is
convex. So the best grid point brackets the best order, and a bounded scalar search in log(alpha - 1) finds it. For a
curve of another shape the search may miss the best order: the bound is then looser, never wrong.

Limits: orders between 1 + 2^-20 and 1 + 2^40; beyond them the bound is loose, not wrong. A curve that holds at whole
orders only (+inf in between) is searched over whole orders.

A curve takes finite real orders above 1; some lemmas hold at whole orders only. Order infinity is not asked of a curve:
it is the pure bound (``pure_epsilon``). Not to be confused with the moments accountant's lambda, the order minus 1.

From Renyi DP to (epsilon, delta)-DP, at one order: the papers' Proposition 1, and the tight conversion.

Results, with s = alpha - 1 and tau the bound at order alpha:

- classic (Mironov 2017, Proposition 3; BLSGD Proposition 1, DISS Proposition 2.1): epsilon = tau + log(1/delta) / s;
- tight (Canonne, Kamath, Steinke 2020, Proposition 12): delta = e^(s (tau - epsilon)) / s * (1 - 1/alpha)^alpha, hence
  epsilon = tau + log(1 - 1/alpha) + (log(1/delta) - log alpha) / s: below the classic one at every order;
- total variation: epsilon = 0 at delta >= min(sqrt(tau / 2), sqrt(1 - e^-tau)), because the divergence of every order
  above 1 is at least Kullback and Leibler's (inequalities of Pinsker and of Bretagnolle and Huber).

Any order gives a valid bound; the accountants look for the best. Sides: every result errs upwards, by `SLACK` times the
sum of the magnitudes that entered it. Not to be confused with the optimal conversion of one order (Asoodeh et al.
2020), which has no closed form and gains little over the tight one when all orders may be used.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

NEAREST, FARTHEST = -20, 40
"""log2(order - 1) of the ends of the search."""

_NEAR = np.arange(-8.0, 10.0)  # log2(order - 1) of the orders that are tried first, in one batch
COARSE: Float = 1 + 2.0**_NEAR
"""Orders that every search evaluates, among them 2, 3, 5, 9, ..., 513."""
_TOLERANCE = 1e-6  # in log2(order - 1): the objective is flat there, so its relative error is its square
_BATCH = 8  # whole orders per round

Objective = Callable[[Float], Float]
"""Orders, shape (k,), to values, shape (k,): +inf allowed, never nan."""


SLACK = 1e-12
"""Relative rounding that results are raised by; far above that of sums of curves which are each right up to 1e-14."""


def least(objective: Objective) -> tuple[float, float]:
    """The best order found, and the objective there; (nan, inf) when it is +inf everywhere."""
    exponents, values = _NEAR, objective(COARSE)
    while True:
        best = int(np.argmin(values))
        if not math.isfinite(values[best]):
            return math.nan, math.inf
        beyond = exponents[best] + (1 if best else -1)
        if 0 < best < exponents.size - 1 or not NEAREST <= beyond <= FARTHEST:
            break
        value = objective(np.array([1 + 2.0**beyond]))
        place = exponents.size if best else 0
        exponents, values = np.insert(exponents, place, beyond), np.insert(values, place, value)
    low, high = exponents[max(best - 1, 0)], exponents[min(best + 1, exponents.size - 1)]
    seen = [(float(1 + 2.0 ** exponents[best]), float(values[best]))]

    def at(exponent: float) -> float:
        order = 1 + 2.0 ** float(exponent)
        seen.append((order, float(objective(np.array([order]))[0])))
        return seen[-1][1]

    if math.isfinite(at((low + high) / 2 + 1 / 3)) or math.isfinite(at((low + high) / 2 - 1 / 3)):
        with np.errstate(invalid="ignore"):  # parabolas through +inf, which it then passes over
            minimize_scalar(at, bounds=(low, high), method="bounded", options={"xatol": _TOLERANCE})
    elif high >= 1:
        seen.append(least_whole(objective, int(2.0 ** max(low, 0.0)) + 1, int(2.0**high) + 1))
    return min(seen, key=lambda pair: (pair[1], pair[0]))


def least_whole(objective: Objective, first: int, last: int) -> tuple[float, float]:
    """The best whole order in [first, last], and the objective there; (nan, inf) when all values are +inf.

    Powers of two away from `first`, then ever closer around the best: right where the objective is quasi-convex.
    """
    steps = 2 ** np.arange(max(last - first, 1).bit_length())
    orders = np.unique(np.minimum(np.concatenate(([first], first + steps, [last])), last))
    found: dict[int, float] = {}
    while orders.size:
        found |= zip(orders.tolist(), objective(orders.astype(np.float64)).tolist(), strict=True)
        known = sorted(found)
        best = min(range(len(known)), key=lambda index: (found[known[index]], known[index]))
        low, high = known[max(best - 1, 0)], known[min(best + 1, len(known) - 1)]
        between = np.unique(np.linspace(low, high, _BATCH + 2).round().astype(np.int64))
        orders = np.array([order for order in between.tolist() if order not in found], dtype=np.int64)
    order = known[best]
    return (float(order), found[order]) if math.isfinite(found[order]) else (math.nan, math.inf)


def real_orders(orders: ArrayLike) -> Float:
    """Orders as an array of the shape given (a number: shape (1,)); InputError unless all are finite and above 1."""
    array = np.atleast_1d(np.asarray(orders, dtype=np.float64))
    outside = ~((array > 1) & np.isfinite(array))
    if np.any(outside):
        raise InputError(
            f"order {array[outside].flat[0]}",
            allowed="finite orders > 1",
            remedy="order infinity is the pure bound; order 1 is the limit of small orders",
        )
    return array


def whole_orders(orders: ArrayLike, *, lemma: str, least: int = 2) -> Float:
    """Whole orders >= `least` as an array; InputError that names the `lemma` for any other."""
    array = real_orders(orders)
    outside = (array != np.round(array)) | (array < least)
    if np.any(outside):
        raise InputError(f"order {array[outside].flat[0]} in {lemma}", allowed=f"whole orders >= {least}")
    return array


def classic_epsilon(orders: Float, bounds: Float, delta: float) -> Float:
    """Epsilon at `delta` > 0 by Proposition 1.

    Parameters
    ----------
    orders, bounds : ndarray, shape (k,)
        Orders > 1 and Renyi bounds in nats, +inf allowed.
    delta : float
        In (0, 1).

    Returns
    -------
    ndarray, shape (k,)
        Upper bounds in nats, +inf where the bound is.
    """
    return np.asarray((bounds - math.log(delta) / (orders - 1)) * (1 + SLACK))


def classic_log_delta(orders: Float, bounds: Float, epsilon: float) -> Float:
    """log delta at `epsilon` >= 0 by Proposition 1, solved for delta; shapes as above, may exceed 0."""
    return _scaled(orders - 1, bounds, epsilon)


def tight_epsilon(orders: Float, bounds: Float, delta: float) -> Float:
    """Epsilon at `delta` in (0, 1) by the tight conversion, at least 0; shapes as above."""
    s = orders - 1
    share, rest = np.log1p(-1 / orders), (-math.log(delta) - np.log(orders)) / s
    size = bounds - share + (np.log(orders) - math.log(delta)) / s
    return np.asarray(np.maximum(bounds + share + rest + SLACK * size, 0.0))


def tight_log_delta(orders: Float, bounds: Float, epsilon: float) -> Float:
    """log delta at `epsilon` >= 0 by the tight conversion; shapes as above, may exceed 0."""
    s = orders - 1
    share = s * np.log1p(-1 / orders)
    rest = share - np.log(orders)
    return np.asarray(_scaled(s, bounds, epsilon) + rest - SLACK * rest)


def _scaled(s: Float, bounds: Float, epsilon: float) -> Float:
    """s (tau - epsilon), raised by `SLACK` of the magnitudes; -inf or +inf beyond the largest double, never nan."""
    with np.errstate(over="ignore"):
        return np.asarray(s * ((bounds - epsilon) + SLACK * bounds + SLACK * epsilon))


def total_variation(bound: float) -> float:
    """Largest total variation distance, delta(0), that a Renyi bound of any order above 1 leaves; 1 for +inf."""
    raised = bound * (1 + SLACK)
    return min(1.0, min(math.sqrt(raised) / math.sqrt(2), math.sqrt(-math.expm1(-raised))) * (1 + SLACK))
