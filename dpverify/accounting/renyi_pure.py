"""From pure DP to Renyi DP: the papers' alpha epsilon^2 / 2, and the tight curve, which randomised response attains.

Results: BLSGD Lemma 2 (Bun and Steinke 2016, Proposition 3.3) prints D_alpha <= alpha epsilon^2 / 2 for every alpha.
Every epsilon-DP pair is a randomisation of Warner's randomised response (Kairouz, Oh, Viswanath 2015), so the latter's
divergence is the largest possible at every order. With s = alpha - 1, Z = e^epsilon + k - 1 and k values,
e^(s D) = (e^(alpha epsilon) + e^(-s epsilon) + k - 2) / Z = 1 + (e^(s epsilon) - 1) (e^epsilon - e^(-s epsilon)) / Z:
products of positive numbers, no cancellation at any order.

Sides: both are upper bounds; the tight curve has a relative error of `TIGHT_ERROR` at most, to either side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpverify.accounting.exact_sums import LEAST
from dpverify.accounting.order_search import real_orders
from dpverify.core.subjects import Float

TIGHT_ERROR = 1e-14
"""Relative rounding error of the tight curve (measured against balls: below 2e-15)."""

_LARGE = 30.0  # beyond it the exponential is taken out of the logarithm


def printed_curve(epsilon: float, orders: ArrayLike) -> Float:
    """alpha epsilon^2 / 2 at each order, as BLSGD Lemma 2 prints it.

    Parameters
    ----------
    epsilon : float
        Pure bound in nats, >= 0.
    orders : array_like, shape (k,)
        Real orders > 1.

    Returns
    -------
    ndarray, shape (k,)
        Upper bounds in nats.
    """
    return np.asarray(real_orders(orders) * (epsilon * epsilon / 2), dtype=np.float64)


def tight_curve(epsilon: float, orders: ArrayLike, *, size: int = 2) -> Float:
    """Renyi divergence of randomised response among `size` values; `size` 2 bounds every epsilon-DP mechanism.

    Parameters
    ----------
    epsilon : float
        Pure bound in nats, >= 0, finite.
    orders : array_like, shape (k,)
        Real orders > 1.
    size : int
        Number of values, >= 2.

    Returns
    -------
    ndarray, shape (k,)
        In nats, the same in both directions; never above `epsilon`, nor above the printed bound, but for rounding.
    """
    alpha = real_orders(orders)
    s = alpha - 1
    share = -np.expm1(-alpha * epsilon) / (1 + (size - 1) * np.exp(-epsilon))  # (e^epsilon - e^(-s epsilon)) / Z
    near = np.minimum(s * epsilon, _LARGE)
    far = np.maximum(s * epsilon, _LARGE)
    small = np.log1p(np.expm1(near) * share) / s
    # s * epsilon is taken out of the logarithm before the division by s; the 1 in front is lost in rounding by then.
    with np.errstate(divide="ignore"):
        large = epsilon + np.log(share + np.exp(-far) * (1 - share)) / s
    value = np.where(s * epsilon < _LARGE, small, large)
    return np.asarray(np.clip(value, LEAST if epsilon > 0 else 0.0, epsilon), dtype=np.float64)
