"""Lower bounds on epsilon and on delta from a confidence region of two event probabilities.

Result: under an (epsilon, delta) claim every event has p <= e^epsilon q + delta, so epsilon >= ln((p - delta)/q) and
delta >= p - e^epsilon q at the true (p, q); the least value over a region of coverage 1 - alpha is a lower bound with
that confidence (Jagielski et al., arXiv 2006.07709, with Clopper-Pearson intervals; the region may be sharper).

Assumptions: those of the region; all logarithms natural, epsilon in nats. Limits: one direction; for a claim about
both, bound each direction with its part of alpha. The bound is no estimate of epsilon: it is low on purpose, and 0
means that nothing was shown.

The bound on mu: under mu-GDP every event has Phi^-1(p) - Phi^-1(q) <= mu (Dong, Roth and Su, arXiv 1905.02383), and the
left side at any event is a lower bound on the least such mu. With FNR = 1 - p and FPR = q this is the estimator of Nasr
et al., arXiv 2302.07956, here over a whole region. It refutes a GDP claim and is not a bound on epsilon at one delta:
converting it by a Gaussian curve assumes that the mechanism has that curve. One direction only; the reverse one needs
separate counts.

Lower bounds on Rényi divergences from a region of two event probabilities.

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
from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats.region import Region
from dpverify.stats.rounding import FloatArray, down, up

NDTRI_ULPS = 32
"""Error of the inverse normal distribution in units in the last place (measured: at most 3, in both tails)."""


ROUNDING = 32.0 * float(np.finfo(np.float64).eps)
"""Error of one binary divergence, relative to the logarithms in it."""

DIRECT = 0.5
"""Exponents up to this size use expm1 and log1p, which keep the digits for p close to q."""


def epsilon_lower(region: Region, *, delta: float = 0.0) -> float:
    """Lower confidence bound on epsilon at a given delta.

    Parameters
    ----------
    region : Region
        Confidence region of (p, q).
    delta : float
        The delta at which epsilon is bounded, in [0, 1).

    Returns
    -------
    float
        In nats, at least 0. Side of the error: above the true epsilon with probability at most ``region.alpha``.

    Raises
    ------
    InputError
        When delta lies outside [0, 1).
    """
    check_delta(delta)

    def log_ratio(p: FloatArray, q: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):  # p <= delta shows nothing: -inf
            gain = down(np.log(np.maximum(down(p - delta, 1), 0.0)), 2)
            return np.maximum(down(gain - up(np.log(q), 2), 1), 0.0)

    return region.minimum(log_ratio)


def delta_lower(region: Region, *, epsilon: float) -> float:
    """Lower confidence bound on delta at a given epsilon.

    Parameters
    ----------
    region : Region
        Confidence region of (p, q).
    epsilon : float
        In nats, finite and at least 0.

    Returns
    -------
    float
        In [0, 1]. Side of the error: above the true delta(epsilon) with probability at most ``region.alpha``.

    Raises
    ------
    InputError
        When epsilon is negative or not finite.
    """
    check_epsilon(epsilon)
    with np.errstate(over="ignore"):  # with an infinite slope nothing is shown
        slope = up(np.exp(epsilon), 2)

    def excess(p: FloatArray, q: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            weighed = np.where(q > 0.0, up(slope * q, 1), 0.0)  # a slope above the largest double is still finite
            return np.maximum(down(p - weighed, 1), 0.0)

    return region.minimum(excess)


def check_delta(delta: float) -> None:
    """Raise InputError unless delta lies in [0, 1)."""
    if not 0.0 <= delta < 1.0:
        raise InputError(f"delta = {delta!r}", allowed="[0, 1)", remedy="0 asks for pure epsilon")


def check_epsilon(epsilon: float) -> None:
    """Raise InputError unless epsilon is finite and at least 0."""
    if not 0.0 <= epsilon < np.inf:
        raise InputError(f"epsilon = {epsilon!r}", allowed="a finite number >= 0, in nats", remedy="")


def mu_lower(region: Region) -> float:
    """Lower confidence bound on mu.

    Parameters
    ----------
    region : Region
        Confidence region of (p, q).

    Returns
    -------
    float
        At least 0. Side of the error: above the least mu that the mechanism satisfies with probability at most
        ``region.alpha``.
    """

    def shift(p: FloatArray, q: FloatArray) -> FloatArray:
        some = (p > 0.0) & (q < 1.0)  # for p <= q nothing is shown
        z_p = down(special.ndtri(np.where(some, p, 0.5)), NDTRI_ULPS)
        z_q = up(special.ndtri(np.where(some, q, 0.5)), NDTRI_ULPS)
        return np.where(some, np.maximum(down(z_p - z_q, 1), 0.0), 0.0)

    return region.minimum(shift)


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
