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
"""

from __future__ import annotations

import numpy as np
from scipy import special

from dpverify.core.errors import InputError
from dpverify.stats.region import Region
from dpverify.stats.rounding import FloatArray, down, up

NDTRI_ULPS = 32
"""Error of the inverse normal distribution in units in the last place (measured: at most 3, in both tails)."""


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
