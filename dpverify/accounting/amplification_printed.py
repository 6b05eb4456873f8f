"""The papers' two amplification lemmas for whole orders, as printed: Poisson samples, and samples without replacement.

Results: BLSGD Lemma 4 (DISS Lemma 2.4; from Zhu and Wang 2019) and DISS Lemma 2.3 (from Wang, Balle, Kasiviswanathan
2019), for a mechanism with a Renyi curve epsilon(l) on the sample, at whole orders alpha >= 2, q the sampling ratio:

- Poisson: (alpha - 1) epsilon' = log((1 - q)^(alpha - 1) (alpha q - q + 1) + C(alpha, 2) q^2 (1 - q)^(alpha - 2)
  e^epsilon(2) + 3 sum over l = 3 .. alpha of C(alpha, l) q^l (1 - q)^(alpha - l) e^((l - 1) epsilon(l)));
- without replacement: (alpha - 1) epsilon' = log(1 + q^2 C(alpha, 2) min(4 (e^epsilon(2) - 1), 2 e^epsilon(2)) + sum
  over j = 3 .. alpha of q^j C(alpha, j) 2 e^((j - 1) epsilon(j))).

Side: printed. Whether they bound every mechanism, in both directions, is the ledger's to decide (ACC-AMP-POISSON,
ACC-AMP-WOR). Evaluated in log space; the first sum's terms l = 0, 1 are one minus the other binomial weights, so that
only positive numbers are added; relative rounding below `ROUNDING`. Not to be confused with the tight curve of the
subsampled Gaussian, which lies below both.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from dpverify.accounting.order_search import whole_orders
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

ROUNDING = 1e-10
"""Relative rounding error of either bound, to either side; log binomials lose most."""
LARGEST = 1 << 16
"""The largest order: a bound adds as many terms."""
_NEGLIGIBLE = -60.0  # log of a term over the largest: all such terms together are below 2^16 e^-60

Curve = Callable[[Float], Float]
"""Renyi bounds at orders, shape (k,); +inf allowed."""


def poisson_bound(q: float, curve: Curve, orders: ArrayLike) -> Float:
    """BLSGD Lemma 4 at whole orders >= 2, in nats; shape of `orders`."""

    def values(powers: Float, grown: Float) -> Float:
        # c e^x - 1: the 1 is the weight's share of the first two terms
        return np.asarray(np.where(powers == 2, _log_expm1(grown), grown + np.log(3 - np.exp(-grown))))

    def absent(missing: Float) -> Float:
        with np.errstate(divide="ignore", invalid="ignore"):  # q = 1: only the last power stays
            return np.asarray(np.where(missing > 0, missing * np.log1p(-q), 0.0))

    return _bound(q, curve, orders, values, absent, lemma="BLSGD Lemma 4")


def binomial_bound(q: float, curve: Curve, orders: ArrayLike) -> Float:
    """log E (1 - q + q r)^order / (order - 1) for q < 1, where E r^l = e^((l - 1) curve(l)): no lemma, an equation."""

    def absent(missing: Float) -> Float:
        return np.asarray(missing * np.log1p(-q))

    return _bound(q, curve, orders, lambda powers, grown: _log_expm1(grown), absent, lemma="a binomial sum")


def without_replacement_bound(q: float, curve: Curve, orders: ArrayLike) -> Float:
    """DISS Lemma 2.3 at whole orders >= 2, in nats; shape of `orders`."""

    def values(powers: Float, grown: Float) -> Float:
        second = np.minimum(np.log(4) + _log_expm1(grown), np.log(2) + grown)
        return np.asarray(np.where(powers == 2, second, np.log(2) + grown))

    return _bound(q, curve, orders, values, np.zeros_like, lemma="DISS Lemma 2.3")


def _bound(
    q: float,
    curve: Curve,
    orders: ArrayLike,
    values: Callable[[Float, Float], Float],
    absent: Callable[[Float], Float],
    *,
    lemma: str,
) -> Float:
    """log(1 + sum over powers l of C(order, l) q^l e^(absent(order - l) + values(l))) / (order - 1)."""
    array = whole_orders(orders, lemma=lemma)
    if np.any(array > LARGEST):
        raise InputError(f"order {array.max():g} in {lemma}", allowed=f"whole orders up to {LARGEST}")
    if q == 0 or array.size == 0:
        return np.zeros_like(array)
    numbers = np.arange(array.max() + 1)
    factorials, missing = gammaln(numbers + 1), absent(numbers)
    powers = numbers[2:]
    logs = values(powers, (powers - 1) * curve(powers)) + powers * np.log(q) - factorials[2:]
    whole = array.ravel().astype(np.int64)
    totals = factorials[whole] + _log_sums(logs, missing - factorials, whole)
    return np.asarray(np.logaddexp(0.0, totals) / (whole - 1)).reshape(array.shape)


@njit(cache=True, nogil=True, error_model="numpy")
def _log_sums(logs: Float, left: Float, orders: NDArray[np.int64]) -> Float:
    """log of the sum over l = 2 .. order of e^(logs[l - 2] + left[order - l]), for each order."""
    out = np.empty(orders.size)
    for row in range(orders.size):
        order = orders[row]
        top = -np.inf
        for k in range(order - 1):
            if left[order - 2 - k] > -np.inf:  # a weight of 0 silences +inf
                top = max(top, logs[k] + left[order - 2 - k])
        total = 0.0
        if -np.inf < top < np.inf:
            for k in range(order - 1):
                if left[order - 2 - k] > -np.inf:
                    exponent = logs[k] + left[order - 2 - k] - top
                    if exponent > _NEGLIGIBLE:
                        total += math.exp(exponent)
            top += math.log(total)
        out[row] = top
    return out


def _log_expm1(x: Float) -> Float:
    """log(e^x - 1) for x >= 0; -inf at 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(x < 1, np.log(np.expm1(np.minimum(x, 1))), x + np.log1p(-np.exp(-np.maximum(x, 1)))))
