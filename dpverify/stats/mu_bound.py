"""Lower bound on mu of Gaussian differential privacy from a region of two event probabilities.

Result: under mu-GDP every event has Phi^-1(p) - Phi^-1(q) <= mu (Dong, Roth and Su, arXiv 1905.02383), and the left
side at any event is a lower bound on the least such mu. With FNR = 1 - p and FPR = q this is the estimator of Nasr et
al., arXiv 2302.07956, here over a whole region.

Assumptions: those of the region. Limits: a bound on mu refutes a GDP claim. Converting it to (epsilon, delta) by a
Gaussian curve assumes that the mechanism has that curve. One direction only; the reverse one needs separate counts. It
is not a bound on epsilon at one delta.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from dpverify.stats.region import Region
from dpverify.stats.rounding import FloatArray, down, up

NDTRI_ULPS = 32
"""Error of the inverse normal distribution in units in the last place (measured: at most 3, in both tails)."""


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
