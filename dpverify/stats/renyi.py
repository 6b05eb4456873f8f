"""Lower bounds on Rényi divergences from a region of two event probabilities.

Result: by data processing the Rényi divergence of order alpha of P and Q is at least that of the two Bernoulli laws (p,
q) of any event (van Erven and Harremoës, arXiv 1206.2459); for p > q the binary divergence rises with p and falls with
q, so over a region it is least at the boundary. The often quoted p^(alpha/(alpha-1)) <= e^D q keeps only one of the two
terms and is much weaker: it gives -0.105 where the binary divergence is 0.368 (p = 0.3, q = 0.1, order 2).

**Order of the pair**: forward is D(P || Q), backward D(Q || P), where P is the law with the larger event probability p.

Assumptions: those of the region. Limits: one event gives only a small part of the divergence at large orders. A zCDP
bound is different: it needs all orders at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.stats.region import Region
from dpverify.stats.rounding import FloatArray

ROUNDING = 32.0 * float(np.finfo(np.float64).eps)
"""Error of one binary divergence, relative to the logarithms in it."""

DIRECT = 0.5
"""Exponents up to this size use expm1 and log1p, which keep the digits for p close to q."""


class RenyiLower(NamedTuple):
    """Lower bounds on D(P || Q) and on D(Q || P), in nats; both hold at once."""

    forward: float
    backward: float


def binary_renyi(p: ArrayLike, q: ArrayLike, order: float) -> FloatArray:
    """Rényi divergence of Bernoulli(p) from Bernoulli(q), in nats.

    Parameters
    ----------
    p, q : array_like of float
        Probabilities in [0, 1]; they broadcast.
    order : float
        In (0, inf]; 1 is the Kullback-Leibler divergence, inf the largest log-ratio.

    Returns
    -------
    ndarray of float64
        The broadcast shape; inf where the divergence is. Error of a few ulps of |ln(p/q)|, to either side.

    Raises
    ------
    InputError
        For an order outside (0, inf] or values outside [0, 1].
    """
    check_order(order)
    p, q = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64))
    if not np.all((p >= 0.0) & (p <= 1.0) & (q >= 0.0) & (q <= 1.0)):
        raise InputError("a probability outside [0, 1]", allowed="p and q in [0, 1]", remedy="")
    hit, miss = _log_ratios(p, q)
    hit_exists, miss_exists = p > 0.0, p < 1.0
    if math.isinf(order):
        return np.asarray(np.maximum(np.where(hit_exists, hit, -np.inf), np.where(miss_exists, miss, -np.inf)))
    with np.errstate(all="ignore"):  # 0 * inf and inf - inf below occur only in cases that `where` excludes
        if order == 1.0:
            parts = np.where(hit_exists, p * hit, 0.0) + np.where(miss_exists, (1.0 - p) * miss, 0.0)
            return np.asarray(np.maximum(parts, 0.0))
        x, y = (order - 1.0) * hit, (order - 1.0) * miss
        near = np.log1p(
            np.where(hit_exists, p * np.expm1(x), 0.0) + np.where(miss_exists, (1.0 - p) * np.expm1(y), 0.0)
        )
        far = np.logaddexp(
            np.where(hit_exists, np.log(p) + x, -np.inf), np.where(miss_exists, np.log1p(-p) + y, -np.inf)
        )
        small = np.maximum(np.where(hit_exists, np.abs(x), 0.0), np.where(miss_exists, np.abs(y), 0.0)) <= DIRECT
        return np.asarray(np.maximum(np.where(small, near, far) / (order - 1.0), 0.0))


def renyi_lower(region: Region, *, order: float) -> RenyiLower:
    """Lower confidence bounds on the Rényi divergences of the two laws, in both orders of the pair.

    Parameters
    ----------
    region : Region
        Confidence region of (p, q), p under P and q under Q.
    order : float
        In (0, inf]; 1 is the Kullback-Leibler divergence.

    Returns
    -------
    RenyiLower
        ``forward`` on D(P || Q), ``backward`` on D(Q || P), both at least 0 (0 where the region reaches p <= q). Side
        of the error: with probability at most ``region.alpha`` one or both are above their divergence.

    Raises
    ------
    InputError
        For an order outside (0, inf].
    """
    check_order(order)

    def least(p: FloatArray, q: FloatArray, *, forward: bool) -> FloatArray:
        apart = (p > q) & (q < 1.0)
        p, q = np.where(apart, np.minimum(p, 1.0 - 2.0**-53), 0.5), np.where(apart, q, 0.5)
        value = binary_renyi(p, q, order) if forward else binary_renyi(q, p, order)
        hit, miss = _log_ratios(p, q)
        weight = 1.0 - np.log(p) - np.log1p(-p) - np.log(q) - np.log1p(-q)
        return np.maximum(value - ROUNDING * (np.abs(hit) + np.abs(miss)) * weight, 0.0)

    return RenyiLower(
        forward=region.minimum(lambda p, q: least(p, q, forward=True)),
        backward=region.minimum(lambda p, q: least(p, q, forward=False)),
    )


def check_order(order: float) -> None:
    """Raise InputError unless the order lies in (0, inf]."""
    if not order > 0.0:
        raise InputError(f"order = {order!r}", allowed="(0, inf]; 1 and inf included", remedy="")


def _log_ratios(p: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ln(p/q) and ln((1-p)/(1-q)) that keep their digits for p close to q; 0 where both numbers are 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        hit = _log_ratio((p - q) / q, np.log(p) - np.log(q))
        miss = _log_ratio((q - p) / (1.0 - q), np.log1p(-p) - np.log1p(-q))
    return np.where((p == 0.0) & (q == 0.0), 0.0, hit), np.where((p == 1.0) & (q == 1.0), 0.0, miss)


def _log_ratio(relative: FloatArray, far: FloatArray) -> FloatArray:
    near = np.abs(relative) <= 0.5
    return np.where(near, np.log1p(np.where(near, relative, 0.0)), far)
