"""From Renyi DP to (epsilon, delta)-DP, at one order: the papers' Proposition 1, and the tight conversion.

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

import numpy as np

from dpverify.core.subjects import Float

SLACK = 1e-12
"""Relative rounding that results are raised by; far above that of sums of curves which are each right up to 1e-14."""


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
