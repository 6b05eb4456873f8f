"""The Renyi curve of any mechanism on a Poisson sample, both orders of add-remove neighbours, never below the truth.

Let A be the law without the record and B the law with it in the sample; D_alpha bounds both orders. With the record
the mechanism is M = (1 - q) A + q B, given the other records' sample, and e^((alpha - 1) D) is jointly convex, so that
the worst sample counts. With r = dB / dA, s = alpha - 1:

- Either order: e^(s D) <= 1 - q + q e^(s D_alpha), by the same convexity, since A = (1 - q) A + q A.
- M from A at whole orders: E_A (1 - q + q r)^alpha is a sum over powers l of C(alpha, l) (1 - q)^(alpha - l) q^l
  E_A r^l, and E_A r^l = e^((l - 1) D_l(B, A)). Between whole orders s D is convex in alpha (and 0 at 1), hence at most
  the chord.
- A from M: -log(1 - q) at every order, since M >= (1 - q) A. And E_A f(r - 1) with f(x) = (1 + q x)^-s: by Taylor,
  (f(x) - 1 + s q x) / x^2 is the mean of (1 - t) f''(t x) over t in [0, 1], which falls in x >= -1; E_A (r - 1) = 0.
  So e^(s D) <= 1 + ((1 - q)^-s - 1 - s q) (e^(D_2(B, A)) - 1).

Zhu and Wang 2019 (Theorem 5) give a factor 3 in the first sum for both orders; it is not needed. Side: upper; raised by
`ROUNDING`. Not to be confused with :mod:`~dpverify.accounting.amplification_printed`, the papers' lemmas.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpverify.accounting.amplification_printed import Curve, binomial_bound
from dpverify.accounting.order_search import real_orders
from dpverify.core.subjects import Float

LARGEST = 1024
"""Orders above it have the first bound alone, which costs one value of the inner curve."""
ROUNDING = 1e-9
_NEAR = 0.5  # exponents below it go through a bound that does not cancel


def sampled_curve(q: float, curve: Curve, orders: ArrayLike) -> Float:
    """Upper bounds in nats on a sample of rate `q` in [0, 1], from those without sampling; shape of `orders`."""
    array = real_orders(orders)
    if q in (0, 1) or array.size == 0:
        return np.zeros_like(array) if q == 0 else np.asarray(curve(array), dtype=np.float64)
    alpha = array.ravel()
    mixed = _mixed(q, np.asarray(curve(alpha)), alpha - 1)
    towards = np.minimum(mixed, _towards(q, curve, alpha))
    away = np.minimum(mixed, _away(q, curve, alpha - 1))
    return np.asarray(np.maximum(towards, away) * (1 + ROUNDING)).reshape(array.shape)


def _mixed(q: float, bounds: Float, s: Float) -> Float:
    """log(1 - q + q e^(s D)) / s."""
    with np.errstate(over="ignore", invalid="ignore"):
        grown = s * bounds
        near = np.log1p(q * np.expm1(np.minimum(grown, 1.0))) / s
        far = bounds + np.log(q + (1 - q) * np.exp(-grown)) / s
    return np.asarray(np.where(np.isinf(bounds), np.inf, np.where(grown < 1, near, far)))


def _towards(q: float, curve: Curve, alpha: Float) -> Float:
    """The chord between the sums at whole orders, over alpha - 1."""
    found = np.full_like(alpha, np.inf)
    near = alpha <= LARGEST - 1
    if np.any(near):
        below = np.floor(alpha[near])
        whole = np.unique(np.concatenate([below, below + 1]))
        whole = whole[whole >= 2]
        log_moments = (whole - 1) * binomial_bound(q, curve, whole)
        at = np.concatenate([[1.0], whole])
        with np.errstate(invalid="ignore"):
            chord = np.interp(alpha[near], at, np.concatenate([[0.0], log_moments]))
        found[near] = np.where(np.isnan(chord), np.inf, chord) / (alpha[near] - 1)
    return found


def _away(q: float, curve: Curve, s: Float) -> Float:
    """The smaller of the two bounds on A from M."""
    most = -np.log1p(-q)
    x = s * most
    with np.errstate(over="ignore"):
        # e^x - 1 - x <= x^2 / 2 / (1 - x / 3), and -log(1 - q) - q <= q^2 / 2 / (1 - q)
        curved = np.where(x < _NEAR, x * x / 2 / (1 - np.minimum(x, _NEAR) / 3), np.expm1(x) - x)
        excess = (curved + s * q * q / 2 / (1 - q)) * np.expm1(curve(np.array([2.0])))
        return np.asarray(np.minimum(np.log1p(excess) / s, most))
